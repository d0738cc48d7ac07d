"""What a report says of the adaptive jury of the last run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from venire.domain.label import Label
from venire.ledger.entry import Kind
from venire.ledger.subjects import outline_of
from venire.reports.recorded.jury_read import JuryMean, JuryRead, JuryRound, JuryStage
from venire.runner.task import FIRST
from venire.workflows.jury.recorded import RecordedJury, read_juries
from venire.workflows.jury.rounds import SETTING

if TYPE_CHECKING:
    from venire.domain.jury import JuryChoice
    from venire.ledger.store import Ledger
    from venire.workflows.jury.state import JuryState


def read_jury(
    ledger: Ledger, runs: Sequence[Mapping[str, Any]], names: Mapping[str, str], last: int | None = None
) -> JuryRead | None:
    """Return the jury that the last run asked; None if it asked the whole panel. `names` are those of the outputs."""
    asked = runs[-1].get("settings", {}).get(SETTING) if runs else None
    if not asked:
        return None
    found = next((each for each in read_juries(ledger, last) if each.state.id == asked["id"]), None)
    return jury_read(found, names) if found else None


def last_jury(ledger: Ledger) -> JuryRead | None:
    """Return the jury that the last run of a ledger asked; None if there was none."""
    runs = [entry.content for entry in ledger.read(kinds=[Kind.RUN_OPENED])]
    names: dict[str, str] = {}
    if runs and runs[-1].get("settings", {}).get(SETTING):
        for entry in ledger.read(kinds=[Kind.SAMPLE]):
            names |= {each.digest: each.output_id for each in outline_of(entry).samples}
    return read_jury(ledger, runs, names)


def jury_labels(read: JuryRead | None) -> tuple[Label, ...]:
    """Return the labels by which a jury found its thresholds; a report holds judges against them too."""
    return tuple(Label(output_id=name, verdict=said) for name, said in read.labels.items()) if read else ()


def jury_read(found: RecordedJury, names: Mapping[str, str]) -> JuryRead:
    """Put what a jury has come to into the words of a report."""
    state, terms = found.state, found.state.terms
    drawn = state.drawn()
    start = tuple(ask.judge for ask in terms.asks[: terms.start])
    rounds = tuple(_round(state, *pair) for pair in zip(state.rounds, found.entries, strict=False))
    partly = (
        ask.judge
        for column, ask in enumerate(terms.asks)
        if ask.repeat == FIRST and column >= terms.start and not drawn[:, column].all()
    )
    opened = next((each.open for each in state.rounds if each.rule == "end"), ())
    return JuryRead(
        start=start,
        then=tuple(dict.fromkeys(ask.judge for ask in terms.asks[terms.start :])),
        outputs=len(state.outputs),
        asked=int(drawn.sum()),
        whole=drawn.size,
        finished=state.is_finished,
        scale=terms.scale,
        level=terms.level,
        half_width=terms.half_width,
        delta=terms.delta,
        rounds=rounds,
        means=tuple(_means(state)) if state.estimates_scores else (),
        stages=tuple(_stages(found)),
        open=tuple(names.get(state.outputs[output], state.outputs[output][:12]) for output in opened),
        selected=tuple(dict.fromkeys(partly)),
        labels={names[digest]: verdict for digest, verdict in state.labels.items() if digest in names},
    )


def _round(state: JuryState, choice: JuryChoice, sequence: int) -> JuryRound:
    chances = [chance for _, _, chance, _ in choice.cells] or [1.0]
    first = len(state.outputs) * state.terms.start
    return JuryRound(
        sequence=sequence,
        number=choice.number,
        rule=choice.rule,
        possible=len(choice.cells) if choice.number else first,
        chosen=len(choice.drawn) if choice.number else first,
        lowest=min(chances),
        highest=max(chances),
    )


def _means(state: JuryState) -> list[JuryMean]:
    drawn, start = state.drawn(), state.terms.start
    means = []
    for place, (model, found) in enumerate(zip(state.models, state.estimates(), strict=True)):
        own = drawn[state.groups == place][:, start:]
        means.append(
            JuryMean(
                model=model,
                value=found.value if found else None,
                half_width=found.half_width if found else None,
                asked=int(own.sum()),
                whole=own.size,
            )
        )
    return means


def _stages(found: RecordedJury) -> list[JuryStage]:
    state, left, stages = found.state, len(found.state.outputs), []
    for choice, sequence in zip(state.rounds[1:], found.entries[1:], strict=False):
        if state.estimates_scores:
            break
        place = choice.number - 1
        columns = slice(0, state.terms.start) if place == 0 else slice(state.terms.start + place - 1, None)
        asked = [ask.judge for ask in state.terms.asks[columns]]
        test = next((test for test in reversed(choice.tests) if test.holds), choice.tests[0] if choice.tests else None)
        stages.append(
            JuryStage(
                judges=tuple(asked if place == 0 else asked[:1]),
                reached=left,
                labelled=test.outputs if test else 0,
                agreeing=test.agreeing if test else 0,
                threshold=choice.threshold,
                decided=dict(Counter(each.verdict for each in choice.decided)),
                sequence=sequence,
            )
        )
        left -= len(choice.decided)
    return stages
