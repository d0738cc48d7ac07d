"""What is collected: a case is put to a target in some wording, and an output comes back."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Any

import msgspec

from venire.domain.canonical import canonical_json, digest, sha256_hex
from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Sample


class OutputState(StrEnum):
    """What a target has given back."""

    COMPLETE = "complete"
    """A text that ended by itself."""
    EMPTY = "empty"
    """No text, or nothing but white space; it is never put to a judge."""
    REFUSED = "refused"
    """The target's server says that it refused or filtered the answer."""
    CUT_OFF = "cut_off"
    """The text ended at a limit of length."""


_CUT = frozenset({"length", "max_tokens", "cut"})
_REFUSED = frozenset({"content_filter", "refusal"})


def state_of(text: str, finish_reason: str | None) -> OutputState:
    """Tell what was given back from the text and the server's own word for why it ended.

    >>> state_of(" ", "stop").value, state_of("Yes", "length").value, state_of("", "content_filter").value
    ('empty', 'cut_off', 'empty')
    """
    if not text.strip():
        return OutputState.EMPTY
    if finish_reason in _REFUSED:
        return OutputState.REFUSED
    return OutputState.CUT_OFF if finish_reason in _CUT else OutputState.COMPLETE


class Case(msgspec.Struct, frozen=True, dict=True):
    """One row of the cases: what targets are asked about."""

    id: str
    """Its name; outputs on one case are compared with one another, and form a cluster."""
    values: dict[str, str] = {}
    """The columns, by which prompts name what they are filled with."""
    materials: tuple[Material, ...] = ()
    """Documents and references, shown to judges that are shown such."""
    turns: tuple[str, ...] = ()
    """For a case of several turns, what the user says in each of them; empty for all others."""

    @cached_property
    def digest(self) -> str:
        """The id of its content."""
        return digest("case", self)


class PromptText(msgspec.Struct, frozen=True, dict=True):
    """What a target is sent: the messages without its own answers between them."""

    system: str
    """The system message; empty for none."""
    turns: tuple[str, ...]
    """The messages of the user; all but cases of several turns have one."""

    @cached_property
    def data(self) -> bytes:
        """The messages as they are kept."""
        return canonical_json(self)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the messages as they are kept."""
        return sha256_hex(self.data)


class OutputPlace(msgspec.Struct, frozen=True):
    """The place of an output in the design of a collection."""

    output_id: str
    """The unique name of the output."""
    case: str
    """The id of the case."""
    variant: str
    """The name of the prompt."""
    target: str
    """The name of the target."""
    factors: dict[str, str] = {}
    """Further factors: those that the prompt states, levels of the design, parameters with several values, columns."""
    parameters: dict[str, Any] = {}
    """The parameters that the target is asked with, as far as any are given."""
    repeat: int = 1
    """Which of several equal requests it is, counted from 1."""


class PlannedOutput(msgspec.Struct, frozen=True):
    """An output that is to be collected."""

    place: OutputPlace
    """Its place in the design."""
    case: Case
    """The case."""
    prompt: PromptText
    """What the target is sent."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.place.output_id


def sample_of(
    place: OutputPlace, case: Case, prompt: PromptText, answers: tuple[str, ...], *, shows_turns: bool
) -> Sample:
    """Return the sample that judges are shown: the last answer, with the prompt, and turns before it beside it.

    Turns are materials where the protocol shows such; otherwise they stand in the task.
    """
    before = []
    for number, (asked, answer) in enumerate(zip(prompt.turns[:-1], answers[:-1], strict=True), start=1):
        before.append(Material(f"turn-{2 * number - 1}", MaterialKind.TURN, asked, "user"))
        before.append(Material(f"turn-{2 * number}", MaterialKind.TURN, answer, "assistant"))
    if before and shows_turns:
        before.append(Material(f"turn-{len(before) + 1}", MaterialKind.TURN, prompt.turns[-1], "user"))
        task, turns = prompt.system, tuple(before)
    else:
        told = "\n\n".join(f"{each.role}: {each.text}" for each in before)
        task, turns = "\n\n".join(filter(None, (prompt.system, told, prompt.turns[-1]))), ()
    notes = {name: value for name, value in case.values.items() if value and name not in place.factors}
    if place.repeat > 1:
        notes["repeat"] = str(place.repeat)
    return Sample(
        output_id=place.output_id,
        text=answers[-1],
        question_id=place.case,
        prompt_variant=place.variant,
        target_model=place.target,
        task=task,
        factors=place.factors,
        notes=notes,
        materials=(*case.materials, *turns),
    )
