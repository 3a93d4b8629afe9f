"""`git mem hooks`: puts our sections where git looks for its hooks, takes them out again, and says which ones run."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from gitmem.errors import ExitCode, GitMemError
from gitmem.git.hook_managers import Advice, Manager, Site, calls, command, manager_of
from gitmem.git.hooks import (
    HOOKS,
    Section,
    SectionBrokenError,
    find_hooks,
    find_section,
    hooks_path_is_relative,
    read_script,
    what_speaks_against,
    with_section,
    without_section,
)
from gitmem.git.layout import LayoutError, Place, resolve
from gitmem.git.run import Git
from gitmem.storage.directory import opened
from gitmem.storage.files import mode_of, place_new, place_over, remove_file, write_temporary
from gitmem.storage.spool import SPOOL
from gitmem.store.history import iso_date
from gitmem.workspace import Workspace

RAN: Final = "ran"
"""The name, beside the spool, of the directory in which each hook leaves a file when it runs."""

_ASIDE: Final = (".legacy", ".old")
"""What pre-commit and lefthook put behind the name of a hook that was there before theirs. Pre-commit runs it still."""

_NOT_EXECUTABLE: Final = "it is not executable, so git does not run it"


class HookDirectoryError(GitMemError):
    """Git has no directory to look for hooks in. Nothing was changed."""


class Deed(StrEnum):
    """What was done about a hook."""

    INSTALLED = "installed"
    RENEWED = "renewed"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    LEFT_ALONE = "left alone"


class HookState(StrEnum):
    """Whether git runs what we have in a hook: not if there is nothing, and not if something is in the way."""

    INSTALLED = "installed"
    ABSENT = "absent"
    BYPASSED = "bypassed"


@dataclass(frozen=True, slots=True)
class Done:
    """What was done about one hook; `reason` says why it was left alone."""

    name: str
    deed: Deed
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """What was done about all hooks, and what a person is to do about those that were left alone."""

    hooks: tuple[Done, ...]
    exit_code: ExitCode
    advice: tuple[Advice, ...] = ()


@dataclass(frozen=True, slots=True)
class Hook:
    """How one hook stands here: `reason` is what is in the way, or what there is to know; `last_run` is in UTC."""

    name: str
    state: HookState
    reason: str | None
    last_run: str | None


@dataclass(frozen=True, slots=True)
class Hooks:
    """How all hooks stand in a worktree."""

    hooks: tuple[Hook, ...]


@dataclass(frozen=True, slots=True)
class _Script:
    """What there is of a hook; `obstacle` is why no section can be put into it, `broken` that there is half a one."""

    path: Path
    site: Site
    manager: Manager | None
    section: Section | None
    broken: bool
    obstacle: str | None

    @property
    def called_by(self) -> str | None:
        """Who calls us without a section, in words."""
        if self.site.data is None or self.section is not None or self.broken:
            return None
        if self.manager is not None and self.manager.calls_us(self.site):
            return self.manager.name
        owner = "the script that is there" if self.manager is None else self.manager.name
        return owner if calls(self.site.data, self.site.hook) else None

    @property
    def runs_us(self) -> bool:
        """Whether we are run when git runs it."""
        return self.section is not None or self.called_by is not None

    @property
    def executable(self) -> bool:
        """Whether git would run it."""
        return os.access(self.path, os.X_OK)


def install(git: Git, place: Place) -> Changes:
    """Put our section into each hook of a worktree, make those that are not there, and what hooks need to run.

    What a section cannot be put into is left alone. Raises HookDirectoryError and OSError.
    """
    directory = find_hooks(git, place.worktree)
    if directory is None:
        raise HookDirectoryError(
            "core.hooksPath names no directory, so git runs no hooks here: name one with `git config core.hooksPath`, "
            "or unset it"
        )
    scripts = [_look(place.worktree, directory, hook) for hook in HOOKS]
    done = tuple(_install(script) for script in scripts)
    left = [script for script, one in zip(scripts, done, strict=True) if one.deed is Deed.LEFT_ALONE]
    if len(left) < len(done):
        _prepare(git, place)
    return Changes(done, ExitCode.NO if len(left) == len(done) else ExitCode.DONE, tuple(_advice(left)))


def uninstall(git: Git, place: Place) -> Changes:
    """Take our sections out, wherever this worktree, the main checkout or git's own directory of hooks has them.

    A file that was made for a section is removed, any other one is what it was before. Raises OSError.
    """
    directories = {os.path.realpath(found): None for found in _directories(git, place)}
    paths = (
        (hook, Path(directory, hook + aside)) for directory in directories for hook in HOOKS for aside in ("", *_ASIDE)
    )
    done = tuple(one for hook, path in paths if (one := _uninstall(hook, path)) is not None)
    left = any(one.deed is Deed.LEFT_ALONE for one in done)
    return Changes(done, ExitCode.NO if left else ExitCode.DONE)


def status(git: Git, place: Place) -> Hooks:
    """Say of each hook whether git runs it for this worktree, and when it ran last. Writes nothing."""
    directories = _directories(git, place)
    here = find_hooks(git, place.worktree)
    state = place.common_dir / "mem"
    prepared = (state / SPOOL).is_dir()
    found = []
    for hook in HOOKS:
        script = None if here is None else _look(place.worktree, here, hook)
        stands = None if script is None else _standing(script, prepared=prepared)
        if stands is None:
            stands = _passed_by(git, place, here, [other for other in directories if other != here], hook)
        if stands is None:
            stands = HookState.ABSENT, None if script is None else script.obstacle
        found.append(Hook(hook, stands[0], stands[1], _last_run(state / RAN / hook)))
    return Hooks(tuple(found))


def _directories(git: Git, place: Place) -> list[Path]:
    """Return where our sections can be: the directory of this worktree, of the main checkout, and git's own one."""
    tops = [place.worktree]
    with suppress(LayoutError):
        tops += [main for main in (resolve(git, place).main,) if main is not None]
    found = [find_hooks(git, top) for top in tops]
    return [*(one for one in found if one is not None), place.common_dir / "hooks"]


def _look(worktree: Path, directory: Path, hook: str) -> _Script:
    found = _look_at(directory / hook, worktree, hook)
    if found.manager is None or found.section is not None:
        return found
    # What was there before pre-commit came: it runs that first.
    before = _look_at(directory / f"{hook}{_ASIDE[0]}", worktree, hook)
    return before if found.manager.name == "pre-commit" and before.section is not None else found


def _look_at(path: Path, worktree: Path, hook: str) -> _Script:
    data, obstacle = _content(path)
    site = Site(worktree, path.parent, hook, data)
    manager = manager_of(site)
    section, broken = None, False
    try:
        section = find_section(data or b"")
    except SectionBrokenError as error:
        obstacle, broken = obstacle or error.message, True
    if obstacle is None and manager is not None:
        obstacle = f"owned by {manager.name}"
    if obstacle is None and data is not None:
        obstacle = what_speaks_against(data)
    if obstacle is None and data is not None and not os.access(path, os.X_OK):
        obstacle = _NOT_EXECUTABLE
    return _Script(path, site, manager, section, broken, obstacle)


def _content(path: Path) -> tuple[bytes | None, str | None]:
    """Return what a file says, None if there is none, and what about it keeps us from writing it."""
    try:
        link = stat.S_ISLNK(path.lstat().st_mode)
        if not path.is_file():
            return None, "it is a symbolic link to no file" if link else "it is no regular file"
        return path.read_bytes(), "it is a symbolic link" if link else None
    except (FileNotFoundError, NotADirectoryError):
        return None, None
    except OSError as error:
        return None, f"it cannot be read: {(error.strerror or str(error)).lower()}"


def _install(script: _Script) -> Done:
    hook, data, section = script.site.hook, script.site.data, script.section
    if script.executable and script.called_by is not None:
        return Done(hook, Deed.UNCHANGED, f"called by {script.called_by}")
    if script.executable and section is not None and section.is_of(hook):
        return Done(hook, Deed.UNCHANGED)
    owned = script.manager is not None and section is not None  # it has our section all the same
    if script.obstacle is not None and not owned:
        return Done(hook, Deed.LEFT_ALONE, script.obstacle)
    if data is None:
        return _create(script.path, hook)
    _replace(script.path, with_section(data, hook))
    return Done(hook, Deed.INSTALLED if section is None else Deed.RENEWED)


def _create(path: Path, hook: str) -> Done:
    path.parent.mkdir(parents=True, exist_ok=True)
    with opened(path.parent) as directory:
        temporary = write_temporary(directory, read_script(hook))
        try:
            mode = mode_of(directory, temporary)
            os.chmod(temporary, mode | (mode & 0o444) >> 2, dir_fd=directory)  # whoever may read it may run it
            made = place_new(directory, temporary, path.name)
        finally:
            remove_file(directory, temporary)
        os.fsync(directory)
    return Done(hook, Deed.INSTALLED) if made else Done(hook, Deed.LEFT_ALONE, "it appeared only now: install again")


def _replace(path: Path, data: bytes) -> None:
    with opened(path.parent) as directory:
        temporary = write_temporary(directory, data, mode_of(directory, path.name))
        try:
            place_over(directory, temporary, path.name)
        finally:
            remove_file(directory, temporary)
        os.fsync(directory)


def _prepare(git: Git, place: Place) -> None:
    """Make what a section looks for: without the spool it does nothing, without the list it names nothing."""
    state = place.common_dir / "mem"
    for directory in (state, state / SPOOL, state / RAN):
        directory.mkdir(mode=0o777, exist_ok=True)
    with suppress(GitMemError, OSError):
        Workspace(git, resolve(git, place)).note_cited()


def _advice(left: Sequence[_Script]) -> Iterator[Advice]:
    managers = {script.manager.name: script.manager for script in left if script.manager is not None}
    for name, manager in managers.items():
        advice = manager.advise([script.site for script in left if script.manager == manager])
        yield Advice(f"{name} owns the hooks here: {advice.what}", advice.lines)
    for script in left:
        if script.manager is None and not script.broken:
            yield Advice(f"have {script.site.hook} run", (command(script.site.hook),))


def _uninstall(hook: str, path: Path) -> Done | None:
    data, obstacle = _content(path)
    try:
        section = find_section(data or b"")
    except SectionBrokenError as error:
        return Done(hook, Deed.LEFT_ALONE, error.message)
    if section is None or data is None:
        return None
    if obstacle is not None:
        return Done(hook, Deed.LEFT_ALONE, obstacle)
    rest = without_section(data, section)
    if rest is None:
        path.unlink()
    else:
        _replace(path, rest)
    return Done(hook, Deed.REMOVED)


def _standing(script: _Script, *, prepared: bool) -> tuple[HookState, str | None] | None:
    """Return how a script stands that has something of ours, and None for any other."""
    if script.broken:
        return HookState.BYPASSED, script.obstacle
    if not script.runs_us:
        return None
    if not script.executable:
        return HookState.BYPASSED, f"{_NOT_EXECUTABLE}: chmod +x"
    if script.section is None:
        return HookState.INSTALLED, f"called by {script.called_by}"
    if not prepared:
        return HookState.INSTALLED, "it does nothing until `git mem hooks install` is run"
    if not script.section.is_of(script.site.hook):
        return HookState.INSTALLED, "an older section: `git mem hooks install` renews it"
    aside = script.path.name != script.site.hook
    return HookState.INSTALLED, f"{script.path.name}, which pre-commit runs" if aside else None


def _passed_by(
    git: Git, place: Place, here: Path | None, elsewhere: Sequence[Path], hook: str
) -> tuple[HookState, str] | None:
    """Return why a hook that is in place somewhere does not run for this worktree; None if there is none."""
    if not any(_look(place.worktree, other, hook).runs_us for other in elsewhere):
        return None
    if here is None:
        return HookState.BYPASSED, "core.hooksPath names no directory, so git runs no hooks"
    if not place.linked or not hooks_path_is_relative(git, place.worktree):
        return HookState.BYPASSED, "core.hooksPath names another directory: install there too"
    lacking = "has no such directory" if not here.is_dir() else "has another directory"
    remedy = "make it absolute, or install here too"
    return HookState.BYPASSED, f"core.hooksPath is relative, and this linked worktree {lacking}: {remedy}"


def _last_run(path: Path) -> str | None:
    try:
        return iso_date(int(path.stat().st_mtime))
    except OSError:
        return None
