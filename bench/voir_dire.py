"""How often a voir dire strikes judges with planted faults, and how often a sound but noisy one.

Run: python -m bench.voir_dire [TRIALS [scores|pairs|power]]
Judges score one output at a time under `drift-sample`, or compare two under `preference`. Probes, sizes and the
decision are those of `venire voir-dire` with the standard battery on bundled outputs; only the asking is left out.
Every number comes with how many trials it rests on.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable

from bench.planted_judges import FAULTS, PAIR_FAULTS, TOP, Fault, PairFault, planted_total, planted_winner
from venire.domain.sample import PLACES, Bundle, Sample
from venire.judges.probes.battery import standard_battery
from venire.judges.probes.making import WEAKENED, ProbeMaker, bundled_outputs
from venire.judges.probes.pairs import EVEN, PairProbeMaker, probed_place
from venire.judges.probes.qualification import FamilyTerms, ProbeReply, QualificationTerms
from venire.protocols.catalogue import find_protocol
from venire.shapes.registry import shape_of
from venire.stats.qualification.sizes import PlannedTest, chance_to_strike
from venire.workflows.instruments.examination import size_of
from venire.workflows.instruments.probe_counts import examine

Asked = list[tuple[str, Sample | Bundle, str]]
"""Probes with their names and the language that they are asked in."""
Judged = Callable[[Sample | Bundle, str, random.Random], float]
"""What a judge gives a probe in a language: a place from 0 to 1, or how the probed output fared."""


def main() -> None:
    """Print how judges with each fault fare, and the power of the battery."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    answers = {each.task: each.text for each in bundled_outputs()}
    scoring = {name: _scoring(fault, answers) for name, (fault, _) in FAULTS.items()}
    comparing = {name: _comparing(fault, answers) for name, fault in PAIR_FAULTS.items()}
    parts: dict[str, Callable[[], None]] = {
        "scores": lambda: print_struck("drift-sample", scoring, trials),
        "pairs": lambda: print_struck("preference", comparing, trials),
        "power": print_power,
    }
    for name in sys.argv[2:] or parts:
        parts[name]()


def print_struck(protocol: str, judges: dict[str, Judged], trials: int) -> None:
    """Print how often judges under a protocol are struck, and for what."""
    probes, terms = make_probes(protocol)
    print(f"\n{protocol}: {len(probes)} probes for each judge, {trials} trials for each fault\n")
    print("| judge | struck | qualified | undecided | struck for |\n|---|---|---|---|---|")
    for name, judged in judges.items():
        outcomes: Counter[str] = Counter()
        causes: Counter[str] = Counter()
        for trial in range(trials):
            outcome, struck_for = examine_planted(judged, probes, terms, trial)
            outcomes[outcome] += 1
            causes.update(struck_for)
        rates = [f"{outcomes[each] / trials:.1%}" for each in ("struck", "qualified", "undecided")]
        most = ", ".join(each for each, _ in causes.most_common(4))
        print(f"| {name} | {' | '.join(rates)} | {most} |", flush=True)


def _scoring(fault: Fault, answers: dict[str, str]) -> Judged:
    def judged(probe: Sample | Bundle, language: str, chance: random.Random) -> float:
        (sample,) = probe.samples
        return planted_total(fault, sample.text, answers[sample.task], language, chance) / TOP

    return judged


def _comparing(fault: PairFault, answers: dict[str, str]) -> Judged:
    def judged(probe: Sample | Bundle, language: str, chance: random.Random) -> float:
        first, second = probe.samples
        winner = planted_winner(fault, (first.text, second.text), answers[first.task], language, chance)
        return EVEN if winner == "tie" else float(winner == PLACES[probed_place(probe).place or 0])

    return judged


def make_probes(name: str) -> tuple[Asked, QualificationTerms]:
    """Return the probes of the standard battery under a protocol, and what decides."""
    battery, protocol = standard_battery(), find_protocol(name)
    compares = shape_of(protocol).judges == "pair"
    sizes = {name: size_of(battery, each) for name, each in battery.families.items()}
    kind = PairProbeMaker if compares else ProbeMaker
    maker: ProbeMaker | PairProbeMaker = kind(battery, bundled_outputs(), protocol, protocol.scales[0])
    most = max(sizes.values())
    weak = max(sizes[name] for name, each in battery.families.items() if each.rule in WEAKENED)
    asked: list[tuple[Sample | Bundle, str]] = [
        (each, "en") for name in ("first", "again") for each in maker.originals(most, name)
    ]
    asked += [(each, "en") for each in maker.originals(weak, "weak")]
    for family in battery.families:
        asked += [(each, "en") for each in maker.probes(family, sizes[family], "oak")]
    asked += [(each, "en") for each in maker.asked_otherwise("dimension_order", "ask_reversed", most)]
    asked += [(each, "zh") for each in maker.asked_otherwise("prompt_language", "ask_other_language", most)]
    if compares:
        asked += [(each, "en") for each in maker.asked_otherwise("order", "ask_swapped", most)]
    families = {
        name: FamilyTerms(each.rule, each.limit, sizes[name])
        for name, each in battery.families.items()
        if name not in ({"documents"} if compares else {"documents", "order"})
    }
    terms = (battery.alpha, battery.tolerance, battery.ceiling, battery.span)
    named = [(str(probed_place(each).name), each, language) for each, language in asked]
    return named, QualificationTerms(*terms, count_recovered=False, families=families, compared=compares)


def examine_planted(judged: Judged, probes: Asked, terms: QualificationTerms, trial: int) -> tuple[str, list[str]]:
    """Return the outcome of one judge, and the families that it was struck for."""
    chance = random.Random(trial)
    replies = [ProbeReply(name, "", "", judged(each, language, chance)) for name, each, language in probes]
    outcome, rates, _ = examine(replies, terms)
    return outcome.value, [each.family for each in rates if each.standing == "beyond"]


def print_power() -> None:
    """Print with which probability a true rate is struck at the planned size of each kind of family."""
    battery = standard_battery()
    rates = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    print(f"\n| family | size | limit | {' | '.join(f'{rate:.0%}' for rate in rates)} |")
    print(f"|---|---|---|{'---|' * len(rates)}")
    for name, family in battery.families.items():
        size = size_of(battery, family) * (2 if family.rule == "valid" else 1)
        test = PlannedTest(
            limit=family.limit,
            fault=family.fault,
            against={"unchanged": "repeats", "not_raised": "drops"}.get(family.rule, "nothing"),  # type: ignore[arg-type]
            noise=battery.noise,
            strike_alpha=battery.alpha / len(battery.families),
        )
        chances = " | ".join(f"{chance_to_strike(test, rate, size):.2f}" for rate in rates)
        print(f"| {name} | {size} | {family.limit:.0%} | {chances} |")


if __name__ == "__main__":
    main()
