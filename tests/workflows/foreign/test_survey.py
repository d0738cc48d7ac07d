"""A first reading of other tools' results: who judged what, which try it was, and what was never judged."""

from venire.domain.sample import Sample
from venire.inputs.foreign.results import ForeignJudgement, ForeignResults, ForeignSample
from venire.workflows.foreign.survey import assigned, survey_results


def results(*samples):
    return ForeignResults("tool", "1", lambda: iter(samples))


def sample(name, *judgements, unjudged=None):
    return ForeignSample(Sample(name, f"Text of {name}."), judgements, unjudged or {})


def judgement(scorer="quality", judge="gpt", by="judge", **more):
    return ForeignJudgement(scorer=scorer, judge=judge, by=by, **more)


def test_scores_dimensions_and_judges_of_a_scorer_are_kept():
    survey = survey_results(results(
        sample("a", judgement(scores={"quality": 3.0, "style": 5.0})),
        sample("b", judgement(scores={"quality": 1.0}), judgement(judge="claude", not_scored="failed")),
    ))  # fmt: skip
    found = survey.found["quality", ""]
    assert survey.samples == 2
    assert list(found.dimensions) == ["quality", "style"]
    assert found.scores == (1.0, 5.0)
    assert [each.name for each in found.judges.values()] == ["gpt", "claude"]
    assert (len(found.asked), found.invalid, found.missing) == (3, 1, 0)


def test_a_scorer_without_any_score_has_no_range():
    found = survey_results(results(sample("a", judgement(not_scored="failed")))).found["quality", ""]
    assert found.scores is None
    assert found.invalid == 1


def test_people_programs_and_models_are_kept_apart():
    survey = survey_results(
        results(sample("a", *(judgement(by=by) for by in ("judge", "human", "code", "combined", ""))))
    )
    assert list(survey.found) == [("quality", ""), ("quality", "human"), ("quality", "code"), ("quality", "combined")]


def test_a_judge_without_a_name_is_called_after_its_scorer():
    [[_, judge, *_], [_, combined, *_]] = assigned(
        sample("a", judgement(judge=""), judgement(judge="", by="combined")), results()
    )
    assert judge.name == "unknown (tool quality)"
    assert combined.name == "combined (tool quality)"
    assert (judge.model, judge.kind, judge.blind) == ("", "recorded", False)
    [[_, named, *_]] = assigned(sample("a", judgement()), results())
    assert (named.name, named.model) == ("gpt", "gpt")
    [[_, person, *_]] = assigned(sample("a", judgement(by="human", judge="ann")), results())
    assert (person.name, person.model) == ("ann", "")


def test_a_further_judgement_is_a_further_try_until_one_has_a_score():
    given = [judgement(not_scored="failed"), judgement(scores={"q": 1.0}), judgement(scores={"q": 2.0})]
    repeats = [repeat for _, _, repeat, _ in assigned(sample("a", *given), results())]
    assert repeats == ["0", "reask-1", "retest-2"]


def test_how_a_judge_was_asked_tells_it_from_others():
    one, two = (judgement(settings={"temperature": heat}) for heat in (0, 1))
    [[_, first, *_], [_, second, *_]] = assigned(sample("a", one, two), results())
    assert first.digest != second.digest


def test_what_was_never_judged_is_missing_for_every_judge_of_its_scorer():
    survey = survey_results(results(
        sample("a", unjudged={"quality": "error", "style": "error"}),
        sample("b", judgement(), judgement(judge="claude")),
    ))  # fmt: skip
    found, never = survey.found["quality", ""], survey.found["style", ""]
    assert (found.missing, len(found.asked)) == (2, 4)
    assert (never.missing, len(never.asked)) == (1, 1)
    assert [each.name for each in never.judges.values()] == ["unknown (tool style)"]
