"""Programs that own hooks: their files as they write them, what they are told to add, and that this works.

Written by husky 4.3.8, 8.0.3 and 9.1.7, lefthook 2.2.2, pre-commit 4.7.0, simple-git-hooks 2.14.0 and git-lfs 3.7; left
out is only what looks for their own programs. What is sh runs here as it does for people.
"""

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from world import Repo, listing

from gitmem.errors import ExitCode
from gitmem.git.hooks import HOOKS, read_script, with_section
from gitmem.git.layout import Place, locate
from gitmem.git.run import Git
from gitmem.porcelain.hooks import Changes, Deed, HookState, install, status, uninstall


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def add(repo: Repo, name: str, text: str) -> None:
    """Add text to a file of the worktree, which is made if it is not there."""
    path = repo.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


# husky 9: core.hooksPath is .husky/_, where every hook is; they run the files in .husky.

HUSKY_9_H = """\
#!/usr/bin/env sh
[ "$HUSKY" = "2" ] && set -x
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n

[ ! -f "$s" ] && exit 0

if [ -f "$HOME/.huskyrc" ]; then
	echo "husky - '~/.huskyrc' is DEPRECATED, please move your code to ~/.config/husky/init.sh"
fi
i="${XDG_CONFIG_HOME:-$HOME/.config}/husky/init.sh"
[ -f "$i" ] && . "$i"

[ "${HUSKY-}" = "0" ] && exit 0

export PATH="node_modules/.bin:$PATH"
sh -e "$s" "$@"
c=$?

[ $c != 0 ] && echo "husky - $n script failed (code $c)"
[ $c = 127 ] && echo "husky - command not found in PATH=$PATH"
exit $c
"""


def husky_9(repo: Repo) -> None:
    repo.git("config", "core.hooksPath", ".husky/_")
    script(repo.path / ".husky/_/h", HUSKY_9_H)
    for hook in ("pre-commit", *HOOKS):
        script(repo.path / ".husky/_" / hook, '#!/usr/bin/env sh\n. "$(dirname "$0")/h"')
    add(repo, ".husky/_/.gitignore", "*")
    add(repo, ".husky/post-commit", "true\n")


def follow_husky_9(repo: Repo, lines: Sequence[str]) -> None:
    for line in lines:
        name, told = line.split(":", 1)
        add(repo, name, f"{told.strip()}\n")


# husky 5 to 8: core.hooksPath is .husky, where people's hooks are.

HUSKY_8_SH = """\
#!/usr/bin/env sh
if [ -z "$husky_skip_init" ]; then
  debug () {
    if [ "$HUSKY_DEBUG" = "1" ]; then
      echo "husky (debug) - $1"
    fi
  }

  readonly hook_name="$(basename -- "$0")"
  debug "starting $hook_name..."

  if [ "$HUSKY" = "0" ]; then
    debug "HUSKY env variable is set to 0, skipping hook"
    exit 0
  fi

  if [ -f ~/.huskyrc ]; then
    debug "sourcing ~/.huskyrc"
    . ~/.huskyrc
  fi

  readonly husky_skip_init=1
  export husky_skip_init
  sh -e "$0" "$@"
  exitCode="$?"

  if [ $exitCode != 0 ]; then
    echo "husky - $hook_name hook exited with code $exitCode (error)"
  fi

  if [ $exitCode = 127 ]; then
    echo "husky - command not found in PATH=$PATH"
  fi

  exit $exitCode
fi
"""


def husky_8_set(repo: Repo, name: str, command: str) -> None:
    """Do what `npx husky add` does."""
    path = repo.path / name
    if path.exists():
        add(repo, name, f"{command}\n")
    else:
        script(path, f'#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n\n{command}\n')


def husky_8(repo: Repo) -> None:
    repo.git("config", "core.hooksPath", ".husky")
    add(repo, ".husky/_/.gitignore", "*")
    add(repo, ".husky/_/husky.sh", HUSKY_8_SH)
    husky_8_set(repo, ".husky/post-commit", "true")


def follow_husky_8(repo: Repo, lines: Sequence[str]) -> None:
    for line in lines:
        program, name, verb, path, command = shlex.split(line)
        assert (program, name, verb) == ("npx", "husky", "add")
        husky_8_set(repo, path, command)


# husky 4: in git's own directory, each hook the same; what they run stands in package.json.

HUSKY_4 = """\
#!/bin/sh
# husky

# Created by Husky v4.3.8 (https://github.com/typicode/husky#readme)
#   At: 12/1/2026, 5:25:14 AM
#   From: /home/user/project/node_modules/husky (https://github.com/typicode/husky#readme)

. "$(dirname "$0")/husky.sh"
"""

# Beyond this it starts node, which reads package.json and runs the line in it with sh.
HUSKY_4_SH = """\
gitParams="$*"
hookName="$(basename "$0")"
case $hookName in
  "pre-push"|"post-rewrite")
    export HUSKY_GIT_STDIN="$(cat)";;
esac
export HUSKY_GIT_PARAMS="$gitParams"
hooks='import json, sys; print(json.load(open("package.json"))["husky"]["hooks"].get(sys.argv[1], ":"))'
sh -c "$(%s -c "$hooks" $hookName)"
"""


def husky_4(repo: Repo) -> None:
    for hook in ("pre-commit", *HOOKS):
        script(repo.path / ".git/hooks" / hook, HUSKY_4)
    script(repo.path / ".git/hooks/husky.sh", HUSKY_4_SH % sys.executable)
    add(repo, "package.json", '{"husky": {"hooks": {}}}')


def follow_husky_4(repo: Repo, lines: Sequence[str]) -> None:
    hooks = json.loads("{" + "\n".join(lines) + "}")
    repo.write("package.json", json.dumps({"husky": {"hooks": hooks}}, indent=2))


# simple-git-hooks: in git's own directory, those hooks that package.json names.

SIMPLE = """\
#!/bin/sh
if [ "$SKIP_SIMPLE_GIT_HOOKS" = "1" ]; then
    echo "[INFO] SKIP_SIMPLE_GIT_HOOKS is set to 1, skipping hook."
    exit 0
fi
if [ -f "$SIMPLE_GIT_HOOKS_RC" ]; then
    . "$SIMPLE_GIT_HOOKS_RC"
fi
"""


def simple(repo: Repo) -> None:
    repo.write("package.json", json.dumps({"simple-git-hooks": {"pre-commit": "true"}}))
    script(repo.path / ".git/hooks/pre-commit", f"{SIMPLE}true")


def follow_simple(repo: Repo, lines: Sequence[str]) -> None:
    hooks = json.loads("{" + "\n".join(lines) + "}")
    repo.write("package.json", json.dumps({"simple-git-hooks": hooks}))
    for hook, command in hooks.items():  # what `npx simple-git-hooks` does
        script(repo.path / ".git/hooks" / hook, SIMPLE + command)


# lefthook: in git's own directory, those hooks that lefthook.yml names.

LEFTHOOK = """\
#!/bin/sh

if [ "$LEFTHOOK_VERBOSE" = "1" -o "$LEFTHOOK_VERBOSE" = "true" ]; then
  set -x
fi

if [ "$LEFTHOOK" = "0" ]; then
  exit 0
fi

call_lefthook()
{
  if test -n "$LEFTHOOK_BIN"
  then
    "$LEFTHOOK_BIN" "$@"
  elif lefthook -h >/dev/null 2>&1
  then
    lefthook "$@"
  else
    echo "Can't find lefthook in PATH"
  fi
}

call_lefthook run "%s" "$@"
"""

# What stands in for the program: it runs the lines that are in lefthook.yml, as that does.
LEFTHOOK_PROGRAM = """\
import json, re, subprocess, sys
_, run, hook, *arguments = sys.argv
text = open("lefthook.yml", encoding="utf-8").read()
for block in re.split(r"(?m)^(?=\\S)", text):
    if block.startswith(hook + ":"):
        for line in re.findall(r'(?m)^      run: (".*")$', block):
            fed = None if "use_stdin: true" in block else subprocess.DEVNULL
            subprocess.run(json.loads(line).replace("{0}", " ".join(arguments)), shell=True, stdin=fed, check=True)
"""


def lefthook(repo: Repo) -> None:
    for hook in HOOKS:
        script(repo.path / ".git/hooks" / hook, LEFTHOOK % hook)
        add(repo, "lefthook.yml", f'{hook}:\n  commands:\n    lint:\n      run: "true"\n')
    program = add_program(repo, "lefthook", LEFTHOOK_PROGRAM)
    repo.world.env["LEFTHOOK_BIN"] = os.fspath(program)


def follow_lefthook(repo: Repo, lines: Sequence[str]) -> None:
    repo.write("lefthook.yml", "".join(f"{line}\n" for line in lines))


# pre-commit: in git's own directory, those hooks that it was told to install.

PRE_COMMIT = """\
#!/usr/bin/env bash
# File generated by pre-commit: https://pre-commit.com
# ID: 138fd403232d2ddd5efb44317e38bf03

# start templated
INSTALL_PYTHON=/nowhere/bin/python3
ARGS=(hook-impl --config=.pre-commit-config.yaml --hook-type=%s)
# end templated

HERE="$(cd "$(dirname "$0")" && pwd)"
ARGS+=(--hook-dir "$HERE" -- "$@")

if [ -x "$INSTALL_PYTHON" ]; then
    exec "$INSTALL_PYTHON" -mpre_commit "${ARGS[@]}"
elif command -v pre-commit > /dev/null; then
    exec pre-commit "${ARGS[@]}"
else
    echo '`pre-commit` not found.  Did you forget to activate your virtualenv?' 1>&2
    exit 1
fi
"""

# What stands in for the program: it runs what was there before with nothing on its input, then what is configured, with
# its own variables for arguments.
PRE_COMMIT_PROGRAM = """\
import os, re, shlex, subprocess, sys
hook = sys.argv[3].removeprefix("--hook-type=")
arguments = sys.argv[sys.argv.index("--") + 1 :]
before = os.path.join(sys.argv[5], hook + ".legacy")
if os.access(before, os.X_OK):
    subprocess.run([before, *arguments], input=b"", check=True)
names = {
    "post-checkout": ("PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF", "PRE_COMMIT_CHECKOUT_TYPE"),
    "post-merge": ("PRE_COMMIT_IS_SQUASH_MERGE",),
    "post-rewrite": ("PRE_COMMIT_REWRITE_COMMAND",),
}
environ = {**os.environ, **dict(zip(names.get(hook, ()), arguments))}
for block in re.split(r"(?m)^  - id: ", open(".pre-commit-config.yaml", encoding="utf-8").read()):
    if f"stages: [{hook}]" in block:
        entry = shlex.split(re.search(r"(?m)^    entry: (.*)$", block)[1])
        done = subprocess.run(entry, env=environ, input=b"", capture_output=True, check=True)
        sys.stdout.write(done.stderr.decode() if "verbose: true" in block else "")
"""


def pre_commit(repo: Repo) -> None:
    repo.write(".pre-commit-config.yaml", "repos: []\n")
    for hook in HOOKS:
        script(repo.path / ".git/hooks" / hook, PRE_COMMIT % hook)
    add_program(repo, "pre-commit", PRE_COMMIT_PROGRAM)


def follow_pre_commit(repo: Repo, lines: Sequence[str]) -> None:
    repo.write(".pre-commit-config.yaml", "repos:\n" + "".join(f"{line}\n" for line in lines))


def add_program(repo: Repo, name: str, text: str) -> Path:
    """Put a program on PATH, where there is no git mem but that of a test; in Python if it is not sh."""
    directory = repo.world.root / "bin"
    python = "" if text.startswith("#!") else f"#!{sys.executable}\n"
    if not directory.exists():
        kept = (one for one in repo.world.env["PATH"].split(":") if not Path(one, "git-mem").exists())
        repo.world.env["PATH"] = ":".join([os.fspath(directory), *kept])
    return script(directory / name, python + text)


@dataclass(frozen=True, slots=True)
class Managed:
    """A program that owns hooks: how it sets itself up, and how a person follows the advice about it."""

    name: str
    set_up: Callable[[Repo], None]
    follow: Callable[[Repo, Sequence[str]], None]
    hands_on_input: bool = True


MANAGERS = {
    "husky 9": Managed("husky", husky_9, follow_husky_9),
    "husky 8": Managed("husky", husky_8, follow_husky_8),
    "husky 4": Managed("husky", husky_4, follow_husky_4),
    "lefthook": Managed("lefthook", lefthook, follow_lefthook),
    "pre-commit": Managed("pre-commit", pre_commit, follow_pre_commit, hands_on_input=False),
    "simple-git-hooks": Managed("simple-git-hooks", simple, follow_simple),
}


def do(work: Callable[[Git, Place], Changes], repo: Repo) -> Changes:
    git = Git(repo.world.env)
    return work(git, locate(git, repo.path, {}))


def states(repo: Repo) -> dict[str, tuple[HookState, str | None]]:
    git = Git(repo.world.env)
    return {hook.name: (hook.state, hook.reason) for hook in status(git, locate(git, repo.path, {})).hooks}


def all_are(state: HookState, reason: str | None = None) -> dict[str, tuple[HookState, str | None]]:
    return dict.fromkeys(HOOKS, (state, reason))


@pytest.fixture(params=MANAGERS)
def managed(request: pytest.FixtureRequest, repo: Repo) -> tuple[Managed, Repo]:
    """A repository whose hooks belong to a program, for each in turn; our program notes its calls."""
    found = MANAGERS[str(request.param)]
    calls = repo.world.root / "calls"
    add_program(
        repo, "git-mem", f'#!/bin/sh\n{{ echo "$*"; [ "$3" != post-rewrite ] || cat; }} >>"{calls}"\necho NOTICE >&2\n'
    )
    found.set_up(repo)
    return found, repo


def calls(repo: Repo) -> list[str]:
    path = repo.world.root / "calls"
    found = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return found


def fire(repo: Repo) -> tuple[list[str], str]:
    """Have git run each hook, and return the calls that are to be expected, input and all, and all that was said."""
    said = []
    old = repo.rev()
    expected = []
    for args, hook in (
        (("commit", "-q", "--allow-empty", "-m", "One"), "post-commit"),
        (("commit", "-q", "--amend", "--allow-empty", "-m", "Two"), "post-rewrite amend"),
        (("checkout", "-q", "-b", "side", old), "post-checkout"),
        (("merge", "-q", "--no-ff", "-m", "Three", "main"), "post-merge 0"),
    ):
        before = repo.rev()
        done = repo.git(*args)
        said.append(done.out + done.err)
        if hook == "post-rewrite amend":
            expected += ["hooks run post-commit", f"hooks run {hook}", f"{before} {repo.rev()}"]
        elif hook == "post-checkout":
            expected += [f"hooks run {hook} {before} {repo.rev()} 1"]
        else:
            expected += [f"hooks run {hook}"]
    return expected, "".join(said)


def test_its_hooks_are_left_alone_and_what_to_add_is_told(managed: tuple[Managed, Repo]) -> None:
    manager, repo = managed
    before = listing(repo.path)
    done = do(install, repo)
    assert [(one.deed, one.reason) for one in done.hooks] == [(Deed.LEFT_ALONE, f"owned by {manager.name}")] * len(
        HOOKS
    )
    assert (done.exit_code, len(done.advice)) == (ExitCode.NO, 1)
    told = "\n".join(done.advice[0].lines)
    assert all(f"git mem hooks run {hook}" in told for hook in HOOKS)
    assert states(repo) == all_are(HookState.ABSENT, f"owned by {manager.name}")
    assert do(uninstall, repo).hooks == ()
    assert listing(repo.path) == before


def test_what_it_is_told_to_add_works(managed: tuple[Managed, Repo]) -> None:
    manager, repo = managed
    manager.follow(repo, do(install, repo).advice[0].lines)
    assert states(repo) == all_are(HookState.INSTALLED, f"called by {manager.name}")
    done = do(install, repo)
    assert (done.exit_code, done.advice) == (ExitCode.DONE, ())
    before = listing(repo.path)
    expected, said = fire(repo)
    if not manager.hands_on_input:
        expected = [re.sub(" amend$", "", line) for line in expected if not re.fullmatch("[0-9a-f]+ [0-9a-f]+", line)]
    assert calls(repo) == expected
    assert "NOTICE" in said
    assert before.keys() <= listing(repo.path).keys()


def test_for_somebody_without_git_mem_what_was_added_does_nothing(managed: tuple[Managed, Repo]) -> None:
    manager, repo = managed
    manager.follow(repo, do(install, repo).advice[0].lines)
    (repo.world.root / "bin/git-mem").unlink()
    _, said = fire(repo)
    assert said == ""


def test_husky_that_was_not_set_up_in_a_linked_worktree_is_told_of(repo: Repo) -> None:
    husky_9(repo)
    follow_husky_9(repo, do(install, repo).advice[0].lines)
    repo.git("add", ".husky")
    repo.git("commit", "-q", "-m", "Hooks")
    linked = repo.worktree("linked")
    assert (linked.path / ".husky/post-commit").exists()
    told = "core.hooksPath is relative, and this linked worktree has no such directory"
    assert states(linked) == all_are(HookState.BYPASSED, f"{told}: make it absolute, or install here too")
    done = do(install, linked)
    assert {one.reason for one in done.hooks} == {"owned by husky"}
    assert not (linked.path / ".husky/_").exists()


def test_hooks_that_the_program_does_not_own_are_installed_beside_it(repo: Repo) -> None:
    directory = repo.path / ".git/hooks"
    script(directory / "post-commit", LEFTHOOK % "post-commit")
    script(directory / "post-commit.legacy", read_script("post-commit").decode("ascii"))  # which nobody runs any more
    script(directory / "post-merge", PRE_COMMIT % "post-merge")
    done = do(install, repo)
    assert [one.deed for one in done.hooks] == [Deed.LEFT_ALONE, Deed.INSTALLED, Deed.LEFT_ALONE, Deed.INSTALLED]
    assert done.exit_code == ExitCode.DONE
    assert [advice.what.split()[0] for advice in done.advice] == ["lefthook", "pre-commit"]
    assert all("post-checkout" not in "".join(advice.lines) for advice in done.advice)


def test_what_pre_commit_moved_aside_is_still_run_and_taken_out(repo: Repo) -> None:
    directory = repo.path / ".git/hooks"
    script(directory / "post-merge", "#!/bin/sh\necho mine\n")
    mine = (directory / "post-merge").read_bytes()
    add_program(repo, "git-mem", "#!/bin/sh\n")
    do(install, repo)
    for hook in HOOKS:  # what `pre-commit install` does with a hook that is there
        (directory / hook).rename(directory / f"{hook}.legacy")
    pre_commit(repo)
    assert states(repo) == {hook: (HookState.INSTALLED, f"{hook}.legacy, which pre-commit runs") for hook in HOOKS}
    assert {one.deed for one in do(install, repo).hooks} == {Deed.UNCHANGED}
    fire(repo)
    assert {path.name for path in (repo.path / ".git/mem/ran").iterdir()} == set(HOOKS)
    do(uninstall, repo)
    assert (directory / "post-merge.legacy").read_bytes() == mine
    assert sorted(path.name for path in directory.glob("*.legacy")) == ["post-merge.legacy"]
    assert states(repo) == all_are(HookState.ABSENT, "owned by pre-commit")


def test_what_another_program_has_taken_over_is_told_of(repo: Repo) -> None:
    do(install, repo)
    husky_9(repo)
    told = "core.hooksPath names another directory: install there too"
    assert states(repo) == all_are(HookState.BYPASSED, told)


LFS = """\
#!/bin/sh
command -v git-lfs >/dev/null 2>&1 || { printf >&2 "\\n%%s\\n\\n" "This repository is configured for Git LFS but \
'git-lfs' was not found on your path. If you no longer wish to use Git LFS, remove this hook by deleting the \
'%(hook)s' file in the hooks directory (set by 'core.hookspath'; usually '.git/hooks')."; exit 2; }
git lfs %(hook)s "$@"
"""


def test_git_lfs_has_scripts_that_a_section_goes_into(repo: Repo) -> None:
    directory = repo.path / ".git/hooks"
    log = repo.world.root / "lfs"
    add_program(repo, "git-lfs", f'#!/bin/sh\necho "$*" >>"{log}"\n')
    add_program(repo, "git-mem", "#!/bin/sh\n")
    for hook in ("post-checkout", "post-commit", "post-merge"):
        script(directory / hook, LFS % {"hook": hook})
    before = listing(directory)
    fire(repo)
    alone = log.read_text(encoding="utf-8").splitlines()
    log.unlink()
    do(install, repo)
    assert all((directory / hook).read_bytes() == with_section(before[hook], hook) for hook in before if hook in HOOKS)
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-q", "-D", "side")
    log.unlink()
    fire(repo)
    words = [line.split()[0] for line in log.read_text(encoding="utf-8").splitlines()]
    assert words == [line.split()[0] for line in alone]
    assert {path.name for path in (repo.path / ".git/mem/ran").iterdir()} == set(HOOKS)
    do(uninstall, repo)
    assert listing(directory) == before
