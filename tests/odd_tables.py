"""Tables of scores as nobody would wish them, each written by a function of its own name."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

MODELS = ("alder", "birch", "cedar")
QUESTIONS = tuple(f"q{number}" for number in range(1, 13))
JUDGES = ("oak", "elm")
HEAD = ("output_id", "judge", "target_model", "question_id", "score")

Score = Callable[[str, str, str], object]
"""What a judge gives a model on a question."""


def rows(
    score: Score,
    models: Sequence[str] = MODELS,
    questions: Sequence[str] = QUESTIONS,
    judges: Sequence[str] = JUDGES,
) -> list[list[object]]:
    """Return a row for each model, question and judge."""
    return [
        [f"{model}-{question}", judge, model, question, score(model, question, judge)]
        for model in models
        for question in questions
        for judge in judges
    ]


def drawn(spread: float = 0.8, step: float = 0.6) -> Score:
    """Return scores of 1 to 5 by chance, always the same, with each model a step below the one before."""
    chance = random.Random(7)
    places: dict[str, int] = {}

    def score(model: str, _question: str, _judge: str) -> object:
        place = places.setdefault(model, len(places))
        return round(min(5.0, max(1.0, 4.2 - step * place + chance.gauss(0, spread))), 1)

    return score


def write(path: Path, head: Iterable[str], lines: Iterable[Iterable[object]]) -> Path:
    """Write a CSV file and return its path."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(head), *lines])
    return path


def all_null(path: Path) -> Path:
    """Not one score."""
    return write(path, HEAD, rows(lambda *_: ""))


def one_judge(path: Path) -> Path:
    """A judge alone."""
    return write(path, HEAD, rows(drawn(), judges=["oak"]))


def one_model(path: Path) -> Path:
    """A model alone."""
    return write(path, HEAD, rows(drawn(), models=["alder"]))


def thirty_models(path: Path) -> Path:
    """More models than anybody wants to see compared two by two."""
    return write(path, HEAD, rows(drawn(0.5, 0.1), models=[f"m{number:02}" for number in range(30)]))


def one_question(path: Path) -> Path:
    """A single question."""
    return write(path, HEAD, rows(drawn(), questions=["q1"]))


def no_variation(path: Path) -> Path:
    """The same score everywhere."""
    return write(path, HEAD, rows(lambda *_: 3))


def missing_cells(path: Path) -> Path:
    """Two scores of five are missing."""
    lines = rows(drawn())
    return write(
        path, HEAD, [[*line[:-1], "" if place % 5 in (1, 3) else line[-1]] for place, line in enumerate(lines)]
    )


def off_the_scale(path: Path) -> Path:
    """Every ninth score is 9 on a scale of 1 to 5."""
    lines = rows(drawn())
    return write(path, HEAD, [[*line[:-1], 9 if place % 9 == 0 else line[-1]] for place, line in enumerate(lines)])


def bare(path: Path) -> Path:
    """Scores of 0 to 100 on outputs of which nothing else is known."""
    lines = [[line[0], line[1], 20 * float(str(line[-1]))] for line in rows(drawn())]
    return write(path, ("output_id", "judge", "score"), lines)


def incomplete_dimensions(path: Path) -> Path:
    """Dimensions only, and every third judgement lacks one of them."""
    score = drawn()
    lines = [
        [*line[:-1], name, score(str(line[2]), "", "")]
        for place, line in enumerate(rows(lambda *_: ""))
        for name in ("clarity", "depth")[: 1 if place % 3 == 0 else 2]
    ]
    return write(path, (*HEAD[:-1], "dimension", "score"), lines)


def verdicts_only(path: Path) -> Path:
    """Verdicts and no scores."""
    lines = [[*line[:-1], "FAIL" if float(str(line[-1])) < 3 else "PASS"] for line in rows(drawn())]
    return write(path, (*HEAD[:-1], "verdict"), lines)


def model_without_scores(path: Path) -> Path:
    """One of three models has no score."""
    score = drawn()
    return write(path, HEAD, rows(lambda model, *rest: "" if model == "cedar" else score(model, *rest)))


def one_model_with_scores(path: Path) -> Path:
    """Two of three models have no score."""
    score = drawn()
    return write(path, HEAD, rows(lambda model, *rest: score(model, *rest) if model == "alder" else ""))


def judge_without_scores(path: Path) -> Path:
    """One of two judges gave no score."""
    score = drawn()
    return write(
        path, HEAD, rows(lambda model, question, judge: "" if judge == "elm" else score(model, question, judge))
    )


def strange_names(path: Path) -> Path:
    """Names with control characters, with markup, and some that look like keys of the wording or like dimensions."""
    models = ["<b>bold</b>", "a\x1b[31mred", "@head.rater", "#A_structure", "[red]rich[/red]", "xoverall", "{first}"]
    return write(path, HEAD, rows(drawn(), models=models, judges=["oak", "<script>alert(1)</script>"]))


def dimensions_only(path: Path) -> Path:
    """Three dimensions and no overall score."""
    names, score = ("A_structure", "clarity", "depth"), drawn()
    lines = [[*line[:-1], name, score(str(line[2]), "", "")] for line in rows(lambda *_: "") for name in names]
    return write(path, (*HEAD[:-1], "dimension", "score"), lines)


def factors_called_like_ours(path: Path) -> Path:
    """Further factors with names that the report has its own words for, and one that it has none for."""
    outcome, context = {0: "won", 1: "lost"}, {0: "yes", 1: "no"}
    lines = [[*line, outcome[place // 2 % 2], context[place // 4 % 2]] for place, line in enumerate(rows(drawn()))]
    return write(path, (*HEAD, "outcome", "retrieved_context"), lines)


def factor_with_many_levels(path: Path) -> Path:
    """A further factor with fifty levels."""
    lines = [[f"{line[0]}-{copy}", *line[1:], f"c{(place + copy) % 50}"]
             for place, line in enumerate(rows(drawn())) for copy in range(4)]  # fmt: skip
    return write(path, (*HEAD, "retrieved_context"), lines)


ALL = {
    each.__name__: each
    for each in (
        all_null, one_judge, one_model, thirty_models, one_question, no_variation, missing_cells, off_the_scale,
        model_without_scores, one_model_with_scores, judge_without_scores, strange_names, bare, dimensions_only,
        incomplete_dimensions, verdicts_only,
        factors_called_like_ours, factor_with_many_levels,
    )
}  # fmt: skip
"""All of them by name."""
