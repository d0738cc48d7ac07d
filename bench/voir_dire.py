"""How often a voir dire strikes judges with planted faults, and how often a sound but noisy one.

Run: python -m bench.voir_dire [TRIALS]
Probes, sizes and the decision are those of `venire voir-dire` with the standard battery on bundled outputs; only the
asking is left out. Every number comes with how many trials it rests on.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from bench.planted_judges import FAULTS, Fault, planted_total
from venire.domain.sample import Sample
from venire.judges.probes.battery import standard_battery
from venire.judges.probes.making import WEAKENED, ProbeMaker, bundled_outputs
from venire.judges.probes.qualification import FamilyTerms, ProbeReply, QualificationTerms
from venire.protocols.catalogue import find_protocol
from venire.stats.qualification.sizes import PlannedTest, chance_to_strike
from venire.workflows.instruments.examination import size_of
from venire.workflows.instruments.probe_counts import examine

Asked = list[tuple[Sample, str]]
"""Probes with the language that they are asked in."""


def main() -> None:
    """Print how judges with each fault fare, and the power of the battery."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    probes, terms = make_probes()
    answers = {each.task: each.text for each in bundled_outputs()}
    print(f"{len(probes)} probes for each judge, {trials} trials for each fault\n")
    print("| judge | struck | qualified | undecided | struck for |\n|---|---|---|---|---|")
    for name, (fault, _) in FAULTS.items():
        outcomes: Counter[str] = Counter()
        causes: Counter[str] = Counter()
        for trial in range(trials):
            outcome, struck_for = examine_planted(fault, probes, terms, answers, trial)
            outcomes[outcome] += 1
            causes.update(struck_for)
        rates = [f"{outcomes[each] / trials:.1%}" for each in ("struck", "qualified", "undecided")]
        print(f"| {name} | {' | '.join(rates)} | {', '.join(each for each, _ in causes.most_common(4))} |")
    print_power()


def make_probes() -> tuple[Asked, QualificationTerms]:
    """Return the probes of the standard battery under `drift-sample`, and what decides."""
    battery, protocol = standard_battery(), find_protocol("drift-sample")
    sizes = {name: size_of(battery, each) for name, each in battery.families.items()}
    maker = ProbeMaker(battery, bundled_outputs(), protocol, protocol.scales[0])
    most = max(sizes.values())
    weak = max(sizes[name] for name, each in battery.families.items() if each.rule in WEAKENED)
    asked: Asked = [(each, "en") for name in ("first", "again") for each in maker.originals(most, name)]
    asked += [(each, "en") for each in maker.originals(weak, "weak")]
    for name in battery.families:
        asked += [(each, "en") for each in maker.probes(name, sizes[name], "oak")]
    asked += [(each, "en") for each in maker.asked_otherwise("dimension_order", "ask_reversed", most)]
    asked += [(each, "zh") for each in maker.asked_otherwise("prompt_language", "ask_other_language", most)]
    families = {
        name: FamilyTerms(each.rule, each.limit, sizes[name])
        for name, each in battery.families.items()
        if name != "documents"
    }
    terms = (battery.alpha, battery.tolerance, battery.ceiling, battery.span)
    return asked, QualificationTerms(*terms, count_recovered=False, families=families)


def examine_planted(
    fault: Fault, probes: Asked, terms: QualificationTerms, answers: dict[str, str], trial: int
) -> tuple[str, list[str]]:
    """Return the outcome of one judge, and the families that it was struck for."""
    chance = random.Random(trial)
    replies = [
        ProbeReply(each.probe, "", "", planted_total(fault, each.text, answers[each.task], language, chance) / 8)
        for each, language in probes
    ]
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
