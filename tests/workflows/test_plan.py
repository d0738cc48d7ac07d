"""What a run would ask is counted without asking anything."""

from experiment import make_samples, settings_for, venire
from venire.workflows.plan import plan, planned_samples, without_samples

RULES = {"type": "rules", "rules": {"dimensions": {"*": [{"check": "length", "minimum": 3}]}}}
SERVED = {"type": "openai_compatible", "model": "m", "base_url": "http://127.0.0.1:9/v1"}


def test_tasks_are_counted_by_judge_with_what_they_may_cost_where_a_price_is_known(tmp_path):
    price = {"input_per_million": 1.0, "output_per_million": 2.0}
    judges = {"elm": SERVED, "oak": SERVED | {"price": price}, "ash": RULES}
    counted = plan(settings_for(tmp_path, judges, make_samples(3)))
    assert [(each.tasks, each.done, each.retests, each.self_judged) for each in counted.values()] == [(3, 0, 0, 0)] * 3
    oak = counted["oak"]
    assert oak.cost == (oak.input_tokens * 1.0 + oak.output_tokens * 2.0) / 1_000_000 > 0
    assert counted["elm"].cost is None
    assert counted["ash"].input_tokens == counted["ash"].cost == 0


def test_a_judge_that_repeats_a_recording_costs_nothing_though_its_prompts_are_counted(tmp_path):
    replay = {"type": "replay", "model": "m", "options": {"replies": {"s0": "{}"}}}
    counted = plan(settings_for(tmp_path, {"echo": replay, "elm": SERVED}, make_samples(2)))
    assert (counted["echo"].input_tokens > 0, counted["echo"].cost) == (True, 0)
    assert counted["elm"].cost is None


def test_what_the_ledger_answers_already_is_done(tmp_path):
    settings = settings_for(tmp_path, {"oak": RULES}, make_samples(3))
    venire("judge", tmp_path / "venire.yaml", "--quiet")
    assert (plan(settings)["oak"].tasks, plan(settings)["oak"].done) == (3, 3)


def test_combinations_without_a_sample_are_named(tmp_path):
    one, two = make_samples(1, "alder-1"), make_samples(2, "birch-2")[1:]
    settings = settings_for(tmp_path, {"oak": RULES}, [*one, *two])
    assert [sample.output_id for sample in planned_samples(settings)] == ["s0", "s1"]
    assert len(without_samples(settings)) == 2
