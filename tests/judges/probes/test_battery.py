import re

import pytest

from venire.errors import ConfigError
from venire.judges.probes.battery import ASKED_OTHERWISE, load_battery, standard_battery
from venire.judges.probes.operations import DISGUISES, OPERATIONS


def test_the_standard_battery_has_two_hundred_templates_in_both_languages_each_with_a_reason():
    templates = standard_battery().templates
    assert len({each.id for each in templates}) == len(templates) >= 200
    assert {each.language for each in templates} == {"en", "zh"}
    assert all(re.search(r"[.。]$", each.why) for each in templates)
    assert len({each.why for each in templates}) > 200
    assert all(each.do in {*OPERATIONS, *ASKED_OTHERWISE} and each.disguise in DISGUISES for each in templates)


def test_every_family_that_needs_templates_has_them_in_both_languages():
    battery = standard_battery()
    needing = {name for name, each in battery.families.items() if each.rule not in ("repeats", "valid")}
    for language in ("en", "zh"):
        assert {each.family for each in battery.templates if each.language == language} == needing


def test_the_digest_changes_with_a_limit(tmp_path):
    (tmp_path / "own.yaml").write_text("id: own\nfamilies: {keys: {limit: 0.15}, orders: {}}\n")
    own = load_battery("own.yaml", tmp_path)
    assert list(own.families) == ["keys", "orders"]
    assert own.families["keys"].limit == 0.15
    assert own.families["keys"].fault == standard_battery().families["keys"].fault
    assert {each.family for each in own.templates} == {"keys", "orders"}
    assert own.digest != standard_battery().digest


def test_own_templates_stand_beside_chosen_ones(tmp_path):
    (tmp_path / "own.yaml").write_text(
        "id: own\nprobes: [en-keys-colon, mine]\n"
        "templates: [{id: mine, family: keys, do: replace, text: '42', why: Everybody knows it.}]\n"
    )
    assert [each.id for each in load_battery("own.yaml", tmp_path).templates] == ["en-keys-colon", "mine"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id: x\nprobes: [en-keys-colom]\n", r"own\.yaml:2.*en-keys-colom.*Did you mean 'en-keys-colon'"),
        ("id: x\nfamilies: {keyes: {}}\n", r"own\.yaml:2.*keyes.*Did you mean 'keys'"),
        ("id: x\ntemplates: [{id: a, family: keys, do: replce, why: b}]\n", r"own\.yaml:2.*replce.*'replace'"),
        ("id: x\nfamilies: {keys: {limit: 3}}\n", r"own\.yaml:2.*'keys'"),
        ("id: x\nlimit: 3\n", r"own\.yaml"),
    ],
)
def test_what_is_unknown_is_named_with_its_line(tmp_path, text, said):
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(ConfigError) as error:
        load_battery("own.yaml", tmp_path)
    assert re.search(said, str(error.value), re.DOTALL), str(error.value)


def test_a_battery_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match="none"):
        load_battery("none.yaml", tmp_path)
