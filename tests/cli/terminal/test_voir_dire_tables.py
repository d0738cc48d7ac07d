"""The outcome of a voir dire at a terminal: the sentence names what decided it."""

import io

import pytest

from venire.cli.terminal.printing import open_console
from venire.cli.terminal.voir_dire_tables import family_name, print_qualification, print_records
from venire.judges.probes.qualification import FamilyTerms, Qualification, QualificationTerms
from venire.reports.words import ReportWords
from venire.stats.qualification.decide import VoirDireOutcome
from venire.stats.qualification.family_rate import FamilyRate
from venire.workflows.instruments.from_records import RecordedVoirDire

ENGLISH = ReportWords("en")


def rate(family, standing, *, value=0.25, more=None):
    ends = (None, None) if value is None else (value - 0.1, value + 0.1)
    return {"family": family, "trials": 40, "failures": 10, "rate": value, "low": ends[0], "high": ends[1],
            "limit": 0.3, "standing": standing, "more": more}  # fmt: skip


def qualification(outcome, *rates, not_asked=None):
    families = {"flipped": FamilyTerms("r", 0.3, 40, {"en": "flipped facts", "zh": "颠倒"}),
                "padded": FamilyTerms("r", 0.3, 40, {"zh": "注水"}), "empty": FamilyTerms("r", 0.3, 40)}  # fmt: skip
    return Qualification(
        judge="oak", judge_digest="d", protocol="p", battery="basic", battery_digest="b", days=30, outcome=outcome,
        terms=QualificationTerms(0.05, 1.0, 0.3, 10.0, False, families), rates=rates, worst=(),
        not_asked=not_asked or {}, replies=(),
    )  # fmt: skip


def printed(show, found):
    file = io.StringIO()
    show(open_console(file=file, width=160), found, ENGLISH)
    return file.getvalue().splitlines()


def test_a_judge_that_qualifies_does_so_for_some_days():
    lines = printed(print_qualification, qualification("qualified", rate("flipped", "within")))
    assert lines[0] == "oak qualifies: every upper bound is within its limit (battery basic), for 30 days."
    assert lines[1].split() == ["probes", "observed", "failed", "bounds", "limit", "result"]
    assert lines[2].split() == ["flipped", "facts", "40", "25%", "15%", "…", "35%", "30%", "within"]
    assert lines[-1] == ""


def test_a_judge_is_struck_for_what_is_beyond_its_limit():
    found = qualification("struck", rate("flipped", "beyond", value=0.5), rate("empty", "within"))
    assert printed(print_qualification, found)[0] == (
        "oak is disqualified: flipped facts at least 40%, limit 30% (battery basic)."
    )


def test_an_undecided_judge_is_told_what_it_lacks():
    found = qualification(
        "undecided", rate("flipped", "open", more=120), rate("empty", "open", value=None), rate("padded", "within"),
        not_asked={"tied": "no outputs"},
    )  # fmt: skip
    lines = printed(print_qualification, found)
    assert lines[0] == (
        "oak is undecided: flipped facts needs about 120 more observations, "
        "empty is at its limit, which more observations would not settle (battery basic)."
    )
    assert lines[3].split() == ["empty", "40", "not", "known", "–", "30%", "open"]
    assert lines[-2] == "Not tested: tied, because no outputs."


@pytest.mark.parametrize(
    ("family", "language", "name"),
    [
        ("flipped", "zh", "颠倒"),
        ("flipped", "en", "flipped facts"),
        ("padded", "en", "padded"),
        ("empty", "zh", "empty"),
    ],
)
def test_a_family_is_called_by_its_name_in_the_readers_language(family, language, name):
    assert family_name(qualification("qualified"), family, ReportWords(language)) == name


def test_records_tell_of_a_judge_without_a_battery():
    found = RecordedVoirDire(judge="oak", outcome=VoirDireOutcome("struck"), rates=(
        FamilyRate(family="flipped", trials=20, failures=10, against=None, rate=0.5, low=0.4, high=0.6, limit=0.3,
                   p_value=None, adjusted_p=None, standing="beyond", more=None),
    ))  # fmt: skip
    lines = printed(print_records, found)
    assert lines[0].startswith("oak is disqualified: ")
    assert lines[0].endswith(" at least 40%, limit 30%.")
    assert lines[2].split()[-6:] == ["50%", "40%", "…", "60%", "30%", "beyond"]
