"""What a configuration says of its jury, as the ledger holds it: asks, outputs, labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from venire.config import Settings
from venire.config.jury_file import AgreeConfig, JuryConfig
from venire.domain.canonical import sha256_hex
from venire.domain.jury import JuryAsk, JuryTerms, jury_id
from venire.domain.label import Label, LabelMaker
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.errors import ConfigError, InputError
from venire.judges.panel import Judge
from venire.runner.context import RunSpec
from venire.runner.task import FIRST, JURY
from venire.stats.adaptive.cascade import fewest_labels
from venire.stats.ratings.rating import overall_range
from venire.workflows.evidence.label_file import read_labels

VERDICTS = ("FAIL", "PARTIAL", "PASS")
"""The verdicts of a protocol's rule."""


class PreparedJury(NamedTuple):
    """A jury that is ready to be asked."""

    id: str
    """The id of the jury."""
    terms: JuryTerms
    """What its choices follow from."""
    outputs: tuple[str, ...]
    """The digests of the outputs."""
    models: tuple[str, ...]
    """The target model of each."""
    labels: dict[str, str]
    """What people said of an output, by its digest; empty if the jury estimates."""


def prepare_jury(settings: Settings, spec: RunSpec, config: JuryConfig) -> PreparedJury:
    """Make everything ready; raises `ConfigError` or `InputError` before anything is asked."""
    known: dict[str, tuple[str, str]] = {}
    for subject in spec.subjects():
        known.setdefault(subject.digest, (_model_of(subject), subject.name))
    agree = config.until.agree_with_people
    asks = whole_jury(config, spec.judges)
    labels = _labels(settings, spec.protocol, {name: digest for digest, (_, name) in known.items()}, agree)
    terms = JuryTerms(
        protocol=spec.protocol.digest,
        asks=asks,
        start=len(config.start),
        scale=_scale(spec.protocol, () if agree else spec.judges),
        seed=spec.options.seed,
        count_recovered=settings.config.count_recovered,
        half_width=config.until.half_width,
        level=agree.level if agree else 0.95,
        delta=agree.delta if agree else None,
        bounds=_bounds(spec.protocol) if agree else None,
        labels_sha256=sha256_hex((settings.folder / agree.labels).read_bytes()) if agree else "",
    )
    if agree:
        _require_labels(labels, terms, str(settings.folder / agree.labels))
    outputs = tuple(known)
    return PreparedJury(
        jury_id(terms, outputs, labels), terms, outputs, tuple(model for model, _ in known.values()), labels
    )


def whole_jury(config: JuryConfig, judges: Iterable[Judge]) -> tuple[JuryAsk, ...]:
    """Return all asks of the whole jury; a judge's weight is shared by its asks."""
    by_name = {judge.name: judge for judge in judges}
    most = len(config.start) + len(config.then) if config.most is None else config.most
    names, later = list(config.start), config.then or config.start
    names += [later[place % len(later)] for place in range(most - len(names))]
    counts, seen = Counter(names), Counter[str]()
    asks = []
    for name in names:
        repeat = f"{JURY}{seen[name]}" if seen[name] else FIRST
        seen[name] += 1
        judge = by_name[name]
        asks.append(JuryAsk(name, judge.digest, repeat, round(judge.weight / counts[name], 9)))
    return tuple(asks)


def _model_of(subject: Sample | Bundle) -> str:
    return subject.target_model or ""


def _scale(protocol: EvalProtocol, judges: Iterable[Judge]) -> tuple[float, float]:
    """Return the range of overall scores: the judges' own if they share one, the protocol's without any, else 0–10."""
    ranges = {overall_range(protocol, protocol.scale(judge.scale)) for judge in judges}
    if not ranges:
        return overall_range(protocol, protocol.scale())
    return ranges.pop() if len(ranges) == 1 else (0.0, 10.0)


def _bounds(protocol: EvalProtocol) -> tuple[float, float] | None:
    """Return the means at which the verdict changes: between two whole scores that get different ones, if all are."""
    rule = protocol.verdict
    if rule is None:
        return None
    half = 0.5 if protocol.scale().integer else 0.0
    return rule.fail_at_most + half, rule.pass_at_least - half


def _labels(
    settings: Settings, protocol: EvalProtocol, digests: dict[str, str], agree: AgreeConfig | None
) -> dict[str, str]:
    if agree is None:
        return {}
    path, where = settings.folder / agree.labels, settings.source.where(("jury", "until"))
    if not path.is_file():
        raise ConfigError("error.jury.no_labels", where=where, path=agree.labels)
    said: dict[str, Counter[str]] = {}
    for label in read_labels(path):
        is_person = label.made_by is LabelMaker.PERSON
        if label.dimension or label.output_id not in digests or not is_person:
            continue
        if label.probability is not None:
            raise InputError("error.jury.unequal_labels", where=str(path))
        said.setdefault(digests[label.output_id], Counter())[_verdict(label, protocol, str(path))] += 1
    if not said:
        raise InputError("error.jury.strange_labels", where=str(path), samples=settings.samples_shown)
    # Where as many people say one thing as another, nobody knows what to agree with.
    ranked = {digest: counts.most_common(2) for digest, counts in said.items()}
    return {digest: most[0][0] for digest, most in ranked.items() if len(most) == 1 or most[0][1] > most[1][1]}


def _verdict(label: Label, protocol: EvalProtocol, where: str) -> str:
    given = label.verdict.strip().upper()
    if not given and label.score is not None and protocol.verdict is not None:
        return protocol.verdict.verdict(label.score)
    if given not in VERDICTS:
        raise InputError("error.jury.label_verdict", where=where, name=label.output_id, found=label.verdict)
    return given


def _require_labels(labels: dict[str, str], terms: JuryTerms, where: str) -> None:
    classes = set(labels.values())
    if len(classes) < 2:
        raise InputError("error.jury.one_class", where=where, found=next(iter(classes), "–"))
    stages = len(terms.asks) - terms.start + 1
    needed = stages * fewest_labels(terms.level, (terms.delta or 0.0) / stages)
    if len(labels) < needed:
        raise InputError("error.jury.few_labels", where=where, found=len(labels), needed=needed, stages=stages)
