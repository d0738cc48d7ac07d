"""Small ledgers for looking at every form of judgement: claims, pairs, a conversation, repeats, and votes alone."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import timedelta
from pathlib import Path

import msgspec

from courthouse import DAY_ONE
from experiment import QUICK, good_reply, make_judge
from judging_pairs import prefer
from report_ledger import design, scoring, write_ledger
from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Sample, make_pair
from venire.domain.vote import Vote
from venire.judges.provider import Reply, Request
from venire.judges.registry import create_provider
from venire.ledger.location import open_ledger
from venire.protocols.catalogue import find_protocol
from venire.protocols.voter_prompts import bundled_prompt
from venire.runner.context import RunSpec
from venire.runner.executor import LocalEngine
from venire.runner.options import RunnerOptions
from venire.runner.run import run_panel
from venire.workflows.import_votes import import_votes, open_voting

ANSWERS = Path(__file__).parents[1] / "examples" / "grounded" / "answers.jsonl"
MODELS = ("alder", "birch", "cedar")


def write_claims(path: Path) -> Path:
    """Write answers whose claims were held against documents, by a judge without a model."""
    rows = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    samples = [
        Sample(
            **{name: value for name, value in row.items() if name != "documents"},
            materials=tuple(Material(each["id"], MaterialKind.DOCUMENT, each["text"]) for each in row["documents"]),
        )
        for row in rows
    ]
    spec = RunSpec(find_protocol("grounded"), (make_judge("literal"),), lambda: iter(samples), RunnerOptions(**QUICK))
    ledger = open_ledger(str(path))
    asyncio.run(run_panel(spec, ledger, LocalEngine({"literal": create_provider("matching", {})})))
    ledger.close()
    return path


def paired_samples() -> list[Sample]:
    """Return outputs of three models to two questions; each says what it is worth."""
    return [
        Sample(
            f"q{number}-{model}",
            f"Answer {number} is worth {worth} points. It comes from a model.",
            question_id=f"q{number}",
            target_model=model,
            task=f"Answer question {number}.",
        )
        for number in range(2)
        for worth, model in zip((90, 70, 50), MODELS, strict=True)
    ]


def _prefer(request: Request) -> Reply:
    text = prefer({"messages": [{"content": request.user}]})
    return msgspec.structs.replace(good_reply(request), text=text, body=text.encode())


def write_judged_pairs(path: Path) -> Path:
    """Write judged pairs; one output meets two others, judged by the same judge."""
    first, second, third = paired_samples()[:3]
    pairs = [make_pair(first, second), make_pair(third, first)]
    return write_ledger(path, pairs, {"oak": _prefer}, protocol="preference")  # type: ignore[arg-type]


def write_judged_and_voted_pairs(path: Path) -> Path:
    """Write judged pairs on which three people have voted too; one of them sees the second as the others do not."""
    write_judged_pairs(path)
    first, second, third = paired_samples()[:3]
    pairs = [make_pair(first, second), make_pair(third, first)]
    prompt = bundled_prompt("prefer")
    ledger = open_ledger(str(path))
    open_voting(ledger, [first, second, third, *pairs], prompt)
    votes = [
        _vote(pair.name, float((number == 0) == (place == 1)), number, prompt.id)
        for place, pair in enumerate(pairs)
        for number in range(3)
    ]
    import_votes(ledger, votes)
    ledger.close()
    return path


def write_voted_pairs(path: Path) -> Path:
    """Write votes of four people on pairs: the first model wins against the others, more or less."""
    samples = paired_samples()
    pairs = [
        make_pair(one, two)
        for place, one in enumerate(samples)
        for two in samples[place + 1 :]
        if one.question_id == two.question_id
    ]
    prompt = bundled_prompt("prefer")
    ledger = open_ledger(str(path))
    open_voting(ledger, [*samples, *pairs], prompt)
    votes = [
        _vote(pair.name, float(number < 3 or "cedar" not in pair.name), number, prompt.id)
        for pair in pairs
        for number in range(4)
    ]
    import_votes(ledger, votes)
    ledger.close()
    return path


def write_votes(path: Path) -> Path:
    """Write outputs that people have voted on, from none to all of four voting yes, and judged by nobody."""
    samples = design(["alder-1"], questions=1)
    prompt = bundled_prompt("grand-jury")
    ledger = open_ledger(str(path))
    open_voting(ledger, samples, prompt)
    votes = [
        _vote(sample.output_id, float(number < (place * 3) % 5), number, prompt.id)
        for place, sample in enumerate(samples)
        for number in range(4)
    ]
    import_votes(ledger, votes)
    ledger.close()
    return path


def _vote(item: str, given: float, number: int, prompt: str) -> Vote:
    return Vote(
        inference_id=item,
        vote=given,
        voter_id=f"juror-{number}",
        vote_time=DAY_ONE + timedelta(minutes=number),
        voter_prompt_id=prompt,
    )


def write_conversation(path: Path) -> Path:
    """Write the last turn of a conversation, judged with a quote from an earlier turn and one from a tool."""
    protocol = find_protocol("conversation")
    turns = (
        Material("turn-1", MaterialKind.TURN, "Book a table for two, please. " + "A long wish. " * 12, "user"),
        Material("turn-2", MaterialKind.TURN, "For which day?", "assistant"),
        Material("turn-3", MaterialKind.TURN, "For Friday.", "user"),
        Material("step-1", MaterialKind.TOOL_CALL, '{"day": "Friday", "people": 2}', "book_table"),
        Material("step-2", MaterialKind.TOOL_RESULT, "booked", "book_table"),
    )
    samples = [
        Sample("c-1", "For how many people?", target_model="alder", question_id="c", materials=turns),
        Sample("c-2", "Your table for two is booked.", target_model="birch", question_id="c", materials=turns),
    ]

    def answer(request: Request) -> Reply:
        name = re.search(r"item-\w+", request.user)
        said = next(each.text for each in samples if each.text in request.user)
        names, overall = protocol.dimension_ids, len(protocol.dimension_ids)
        first = {"dimension": names[0], "source": "turn-1", "quote": "Book a table for two", "reason": "It was said."}
        others = [{"dimension": each, "quote": said, "reason": "It shows it."} for each in names[1:]]
        content = {
            "meta": {"output_id": name.group() if name else ""},
            "scores": {**dict.fromkeys(names, 1), "overall_score": overall},
            "verdict": protocol.verdict.verdict(overall) if protocol.verdict else "",
            "flags": [],
            "evidence": [first, *others],
        }
        text = json.dumps(content)
        return msgspec.structs.replace(good_reply(request), text=text, body=text.encode())

    return write_ledger(path, samples, {"oak": answer}, protocol="conversation")


def write_repeats(path: Path) -> Path:
    """Write judgements of one judge who was asked twice on every output."""
    return write_ledger(path, design(["alder-1", "birch-2"], questions=1), {"oak": scoring()}, reask_share=1)
