"""What is found in replies with one wrong value each stays: the rule, the place, what was expected and what is there.

Which rules there are for what is held by tests of their own; here a change anywhere in the checks is seen.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from golden_values import assert_as_kept, short
from valid_replies import CASES, DRIFT_BUNDLE, JUDGE
from venire.shapes.check import Checker, Subject

INSTEAD: tuple[Any, ...] = (
    None, "", "x" * 78, "x" * 79, "８.５", -1, 1.5, 5, 99, 1e300, True, [], ["a"], {"not": ["this"]},
)  # fmt: skip
"""What is put in the place of each value of a reply."""
ABSENT = object()
REPLIES = {
    f"{checker.terms.protocol.id}_{checker.terms.profile}": (checker, subject, reply)
    for checker, subject, reply in reversed(CASES)
    if subject is not None and (checker.terms.profile == "contract" or checker.terms.protocol is DRIFT_BUNDLE)
}


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a reply; of a list, of those in its first item."""
    held = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, item in held:
        yield (key,)
        yield from ((key, *rest) for rest in places(item))


def with_other(reply: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(reply)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    if value is ABSENT:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return changed


def found_in(checker: Checker, subject: Subject, reply: Any) -> str:
    judgement = checker.check(json.dumps(reply, ensure_ascii=False).encode(), subject, judge=JUDGE)
    found = [*judgement.findings, *(each for entry in judgement.entries for each in entry.findings)]
    told = [f"{each.rule} {each.pointer or '-'} {short(each.expected)} / {short(each.found)}" for each in found]
    more = f"; and {len(told) - 2} more" if len(told) > 2 else ""
    return f"{judgement.status.value} {short(judgement.overall)} {judgement.verdict}: {'; '.join(told[:2])}{more}"


@pytest.mark.parametrize("name", REPLIES)
def test_what_is_found_in_replies_with_one_wrong_value_stays(name):
    checker, subject, reply = REPLIES[name]
    lines = [f"as it is: {found_in(checker, subject, reply)}"]
    for path in places(reply):
        shown = "/".join(map(str, path))
        lines.append(f"{shown} is absent: {found_in(checker, subject, with_other(reply, path, ABSENT))}")
        for value in INSTEAD[:: 3 if checker.terms.protocol is DRIFT_BUNDLE else 1]:  # It holds sixteen outputs.
            found = found_in(checker, subject, with_other(reply, path, value))
            lines.append(f"{shown} is {short(value)[:10]}: {found}")
    assert_as_kept(f"findings/{name}.txt", "".join(f"{line}\n" for line in dict.fromkeys(lines)))
