"""The demonstration with a local model is set up by configurations that can be run; the model itself is not asked."""

from examples.demo_local import MODEL, write_panel, write_study

from experiment import venire
from venire.config import load_settings
from venire.judges.local_models import fetch
from venire.workflows.collecting.plan import plan_collection
from venire.workflows.instruments.voir_dire import plan_voir_dire


def test_the_local_model_answers_two_prompts_and_judges_beside_the_rules(tmp_path):
    write_study(tmp_path)
    settings = load_settings(tmp_path / "study.yaml", renormalise=True)
    assert {name: each.tasks for name, each in plan_collection(settings).items()} == {"small": 2}
    assert [judge.kind for judge in settings.judges].count("local") == 1


def test_it_judges_a_few_outputs_of_others_too(tmp_path, capsys):
    fetch(MODEL)  # A plan says what a run would refuse, such as a model that is not there.
    write_panel(tmp_path)
    assert venire("plan", tmp_path / "venire.yaml", "--renormalise") == 0
    assert "local_model" in capsys.readouterr().out


def test_the_model_gets_few_probes_and_the_rule_judges_the_standard_battery(tmp_path):
    write_panel(tmp_path)
    model, rules = (load_settings(tmp_path / name, renormalise=True) for name in ("model.yaml", "rules.yaml"))
    assert {name: each.tasks for name, each in plan_voir_dire(model).items()} == {"local_model": 8}
    assert min(each.tasks for each in plan_voir_dire(rules).values()) > 700
