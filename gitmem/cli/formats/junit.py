"""A JUnit report: one test case an entry, for every CI system that shows test results.

The elements and attributes are those of `junit-10.xsd` of Jenkins' xUnit plugin, the strictest reader; it knows no
`file` on a test case and no `skipped` on `testsuites`. A stale entry is a failure, an unverified one is skipped: it
did not fail, and it was not measured. A file that cannot be read is an error. A test case has one such child at most,
as most readers take only the first, and that has both a message and a text, as readers show one or the other.

Written with the standard library's ElementTree, which escapes all that XML can hold; what it cannot hold is replaced
here. The libraries for the format add names for six elements and would be one more thing to install.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final
from xml.etree import ElementTree as ET

from gitmem.cli.formats.problems import Level, Problem, entry_problems, unreadable_problem
from gitmem.evidence.verdict import EntryVerdict
from gitmem.porcelain.check import Checked
from gitmem.store.read import Unreadable
from gitmem.text import visible_line

_DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NAME: Final = "git mem check"
_CLASS: Final = "git-mem.check"

# What is outside `Char` in XML 1.0, and no reference can stand for; the control characters are made visible before.
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(checked: Checked, store: PurePosixPath) -> str:
    """Return the report: the entries in their order, then the files that cannot be read."""
    cases = [_entry_case(found, store) for found in checked.entries]
    cases += [_unreadable_case(bad, store) for bad in checked.invalid]
    counts = {"tests": str(len(cases)), "failures": _count(cases, "failure"), "errors": _count(cases, "error")}
    root = ET.Element("testsuites", {"name": _NAME, **counts})
    suite = ET.SubElement(
        root, "testsuite", {"name": _NAME, **counts, "skipped": _count(cases, "skipped"), "time": "0"}
    )
    suite.extend(cases)
    ET.indent(root)
    return f"{_DECLARATION}{ET.tostring(root, encoding='unicode')}\n"


def _entry_case(found: EntryVerdict, store: PurePosixPath) -> ET.Element:
    # The id makes the name unique: GitLab leaves out all but the first of those that share one.
    case = _case(f"{visible_line(found.entry.title)} ({found.entry.id})")
    problems = entry_problems(found, store)
    if problems:
        outcome = "failure" if problems[0].level is Level.ERROR else "skipped"
        case.append(_outcome(outcome, problems))
    return case


def _unreadable_case(bad: Unreadable, store: PurePosixPath) -> ET.Element:
    problem = unreadable_problem(bad, store)
    case = _case(problem.name)
    case.append(_outcome("error", [problem]))
    return case


def _case(name: str) -> ET.Element:
    # Nothing is timed, but some readers want a number.
    return ET.Element("testcase", {"classname": _CLASS, "name": _writable(name), "time": "0"})


def _outcome(name: str, problems: Sequence[Problem]) -> ET.Element:
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    message = _writable(problems[0].told + more)
    element = ET.Element(name, {"type": problems[0].rule, "message": message})
    element.text = _writable("\n".join(problem.text for problem in problems))
    return element


def _count(cases: Sequence[ET.Element], outcome: str) -> str:
    return str(sum(case.find(outcome) is not None for case in cases))


def _writable(text: str) -> str:
    return _NO_XML.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
