"""What anchors say at a terminal: when a judge changed, which way, and who moved the scores."""

import io

import pytest

from venire.cli.terminal.canary_tables import print_finding
from venire.cli.terminal.printing import open_console
from venire.reports.words import ReportWords
from venire.runner.canaries.evidence import JudgeEvidence, StreamEvidence
from venire.stats.comparison.change_attribution import ChangeAttribution
from venire.stats.result import Estimate
from venire.workflows.instruments.findings import CanaryFinding, LocatedChange


def stream(pairs=24, parted=6, observations=9, **more):
    fields = {"watched": "verdict", "dimension": "", "bound": 0.5, "contradictions": 2, "e_value": 1.5}
    return StreamEvidence(pairs=pairs, parted=parted, observations=observations, **fields | more)


def printed(*streams, alarm="", change=None, **more):
    evidence = JudgeEvidence(
        judge="oak", judge_digest="d", prompt_digest="p", verdicts=9, e_value=2.0, peak=24.96, alarm=alarm,
        streams=streams or (stream(),),
    )  # fmt: skip
    found = CanaryFinding(evidence=evidence, protocol="p", runs=3, change=change, **more)
    file = io.StringIO()
    print_finding(open_console(file=file, width=200), found, ReportWords("en"))
    return file.getvalue().splitlines()


def test_what_is_known_of_a_judge_is_said_in_a_line():
    assert printed()[0] == "oak: no sign of a change in 3 runs (e = 25)."
    assert printed(stream(observations=0))[0].startswith("oak: not known yet")
    assert printed(stream(observations=0, pairs=1))[0].startswith("oak: not known, because too few anchors")
    assert printed(alarm="r7")[0] == "oak has changed (e = 25); since when is not known."


@pytest.mark.parametrize(
    ("shift", "said"),
    [
        (None, ""),
        (0.049, ""),
        (-0.049, ""),
        (0.05, ", milder by 0.1"),
        (-1.25, ", harsher by 1.2"),
        (2.0, ", milder by 2.0"),
    ],
)
def test_a_change_is_told_with_its_runs_and_its_direction(shift, said):
    change = LocatedChange(before=2, after=3, dimension="", share=0.375, shift=shift)
    line = printed(alarm="r7", change=change)[0]
    assert line == f"oak changed between runs 2 and 3 (e = 25): it judged 38% of anchors differently{said}."


def test_who_moved_the_scores_is_told_where_that_is_known():
    def part(value):
        return Estimate(value=value, method="m", reason="" if value is not None else "few")

    split = ChangeAttribution(judge_name="oak", observed=part(-0.5), judge=part(-0.75), system=part(None))
    lines = printed(attribution=split, blamed="judge", since=2)
    assert lines[1] == (
        "  Since run 2, scores of new outputs moved by −0.50. The judge changed (−0.75); "
        "the system's part (not known) is within chance."
    )
    silent = ChangeAttribution(judge_name="oak", observed=part(None), judge=part(None), system=part(None))
    assert not [line for line in printed(attribution=silent) if "Fresh" in line]


def test_each_dimension_has_a_row():
    lines = printed(stream(), stream(dimension="FORMAT", watched="distance", pairs=0, parted=0))
    assert lines[1].split() == ["dimension", "anchors", "retest", "noise", "later", "contradict", "e"]
    assert lines[2].split() == ["overall", "24", "25%", "9", "2", "1.50"]
    assert lines[3].split() == ["FORMAT,", "away", "from", "people", "0", "not", "known", "9", "2", "1.50"]
    assert lines[-1] == ""
