"""Generated repositories and stores that a benchmark measures on: the same ones in every run."""

import hashlib
import json
import random
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

FILES = 5000
BODY = "".join(f"line {number}\n" for number in range(40))


def git(repo: Path, *args: str, feed: bytes | None = None) -> bytes:
    """Run git and return what it prints."""
    return subprocess.run(["git", "-C", str(repo), *args], input=feed, capture_output=True, check=True).stdout


def make_history(repo: Path, commits: int) -> None:
    """Make a repository of so many commits, a fifth of them merges, over 5,000 files in 50 directories, packed."""
    repo.mkdir(parents=True)
    git(repo, "init", "-q", "-b", "main")
    for key, value in (("user.name", "Bench"), ("user.email", "bench@example.com"), ("gc.auto", "0")):
        git(repo, "config", key, value)
    git(repo, "fast-import", "--quiet", feed="".join(_stream(commits)).encode())
    git(repo, "reset", "-q", "--hard", "main")
    git(repo, "repack", "-q", "-a", "-d")


def _stream(commits: int) -> Iterator[str]:
    dice = random.Random(1)
    for number in range(1, commits + 1):
        # Every hundredth message reverts something, as in a busy project.
        told = f"This reverts commit {dice.getrandbits(160):040x}." if number % 100 == 0 else "Because it is needed."
        message = f"Change number {number}\n\n{told}\n\nSigned-off-by: Bench <bench@example.com>\n"
        yield f"commit refs/heads/main\nmark :{number}\n"
        yield f"committer Bench <bench@example.com> {1_500_000_000 + number * 60} +0000\n"
        yield f"data {len(message)}\n{message}\n"
        if number > 1:
            yield f"from :{number - 1}\n"
        if number > 100 and number % 5 == 0:
            yield f"merge :{number - dice.randint(2, 20)}\n"
        paths = range(FILES) if number == 1 else [dice.randrange(FILES)]
        for path in paths:
            text = f"{path} in {number}\n{BODY}"
            yield f"M 100644 inline d{path % 50}/f{path}.txt\ndata {len(text)}\n{text}\n"


def commit_refs(repo: Path, count: int) -> list[dict[str, object]]:
    """Return sourceRefs of commits from all over the history of HEAD."""
    dice = random.Random(2)
    commits = git(repo, "rev-list", "HEAD").decode().split()
    return [{"sourceType": "commit", "id": oid} for oid in dice.sample(commits, min(count, len(commits)))]


def file_refs(repo: Path, count: int) -> list[dict[str, object]]:
    """Return sourceRefs of three lines in files of HEAD, each with its anchor."""
    head = git(repo, "rev-parse", "HEAD").decode().strip()
    listed = (item.split(b"\t", 1) for item in git(repo, "ls-tree", "-r", "-z", "HEAD").split(b"\0") if item)
    files = [(path.decode(), meta.split()[2].decode()) for meta, path in listed if meta.startswith(b"100644")]
    texts = {path: (repo / path).read_bytes().split(b"\n") for path, _ in files}
    long = [(path, blob) for path, blob in files if len(texts[path]) > 12]
    found: list[dict[str, object]] = []
    for number in range(count):
        path, blob = long[number % len(long)]
        first = 5 + number // len(long) % 5
        lines = b"".join(line.removesuffix(b"\r") + b"\n" for line in texts[path][first - 1 : first + 2])
        anchor: dict[str, object] = {
            "commit": head,
            "blob": blob,
            "textHash": f"sha256:{hashlib.sha256(lines).hexdigest()}",
        }
        place: dict[str, object] = {"path": path, "lineStart": first, "lineEnd": first + 2}
        found.append({"sourceType": "file", "id": path, **place, **anchor})
    return found


def write_store(repo: Path, refs: Sequence[dict[str, object]], entries: int) -> Path:
    """Write a private store of so many entries among which the sourceRefs are shared out; return its directory."""
    store = repo / ".klide" / "memory"
    store.mkdir(parents=True, exist_ok=True)
    exclude = repo / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("/.klide/\n", encoding="utf-8")
    for old in store.glob("*.md"):
        old.unlink()
    each = -(-len(refs) // entries)
    for number in range(entries):
        mine = json.dumps(refs[number * each : (number + 1) * each], separators=(",", ":"))
        day = f"2026-01-{1 + number % 28:02d}"
        head = f"schemaVersion: 1\ndate: {day}T10:00:00Z\ntitle: Entry number {number}\nkind: fact\n"
        rest = f'reviewState: reviewed\ntags: ["one","two"]\nsourceRefs: {mine}\n'
        text = f"---\n{head}{rest}---\n\n# Notes\n\nNote {number}.\n"
        (store / f"{day}-1000-entry-number-{number}.md").write_text(text, encoding="utf-8")
    return store
