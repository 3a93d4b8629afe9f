"""The table of commands: what there is, and what each does."""

from typing import Final

# name -> what it does. A command's module is gitmem.cli.<name>, imported only when it is run: the libraries
# behind one verb would slow all the others down.
COMMANDS: Final = {
    "init": "create the store of this repository's memory",
    "where": "say where the store is and how that was found out",
    "add": "write a reviewed entry with its evidence",
    "show": "print an entry as it is on disk",
    "list": "list entries, newest first",
    "search": "find entries in which every word occurs",
    "explain": "say why a query finds what it finds, and what it leaves out",
    "check": "say which entries are current, stale or unverified here",
    "about": "say which entries cite a file or lines: what to know before editing",
    "confirm": "say that entries are still true, and anchor them to the present code",
    "relink": "follow evidence that only moved: rewritten commits, renamed files, shifted lines",
    "supersede": "let one entry take the place of another",
    "edit": "change an entry in your editor; the text is validated before it replaces",
    "forget": "remove entries for good, with their history",
    "bisect": "name the first commit at which an entry was no longer true",
    "log": "show what was recorded of the store or an entry",
    "diff": "show what changed in the store or an entry",
    "blame": "say who recorded which line of an entry",
    "manifest": "print which files are new, different or gone",
    "update": "apply a changed set to the file index, and name the entries to look at",
    "mine": "read the project's files into the file index",
    "hooks": "install, remove and look at the git hooks",
    "jobs": "list what hooks asked for and is not done yet",
    "work": "do what hooks asked for",
    "status": "show the state of the store at a glance",
    "doctor": "check everything, and say what mends what is wrong",
    "reindex": "make anew what is derived from the entries",
    "restore": "bring back entry files that were lost",
}
