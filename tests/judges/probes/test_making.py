import pytest

from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Sample
from venire.judges.probes.battery import standard_battery
from venire.judges.probes.making import ProbeMaker, ProbeName, bundled_outputs
from venire.protocols.catalogue import find_protocol
from venire.shapes.check import check


def _maker(bases=None, protocol="drift-sample"):
    found = find_protocol(protocol)
    return ProbeMaker(standard_battery(), bases or bundled_outputs(), found, found.scales[0])


def test_the_same_outputs_always_give_the_same_probes():
    assert [each.digest for each in _maker().probes("orders", 48)] == [
        each.digest for each in _maker().probes("orders", 48)
    ]


def test_every_bundled_output_gives_a_probe_of_every_family_that_alters_outputs():
    families = [name for name, each in standard_battery().families.items() if each.rule not in ("repeats", "valid")]
    for family in set(families) - {"documents", "order", "dimension_order", "prompt_language"}:
        assert len(list(_maker().probes(family, 56, "oak"))) == 56


def test_a_probe_says_what_it_is_and_does_not_tell_the_judge():
    probe = next(_maker().probes("keys", 1))
    name = ProbeName.parse(probe.probe)
    assert (name.family, str(name)) == ("keys", probe.probe)
    assert "keys" not in probe.output_id + probe.question_id + probe.task


def test_what_must_not_be_raised_is_made_of_an_output_that_leaves_room():
    (base,) = bundled_outputs()[:1]
    maker = _maker([base])
    (weak,), (probe,) = maker.originals(1, "weak"), maker.probes("length", 1)
    assert len(weak.text) < len(base.text) / 2
    assert weak.text[:40] in probe.text
    assert base.text not in probe.text


def test_a_probe_has_another_id_than_the_output_that_it_repeats():
    (base,) = bundled_outputs()[:1]
    first, again = (next(_maker([base]).originals(1, name)) for name in ("first", "again"))
    assert first.text == again.text == base.text
    assert len({first.digest, again.digest, base.digest}) == 3


@pytest.mark.parametrize("protocol", ["drift-sample", "quality", "answer"])
def test_a_forged_reply_is_in_the_form_of_the_protocol(protocol):
    found = find_protocol(protocol)
    maker = _maker(protocol=protocol)
    made = [each for each in maker.probes("forgeries", 56) if "/en-forgeries-reply/" in each.probe]
    assert made
    sample = made[0]
    start = sample.text.index("{")
    judged = check(sample.text[start:], sample, found)
    assert judged.overall is not None
    assert not {"UNPARSABLE_OUTPUT"} & {each.flag for each in judged.findings if each.flag}


def test_orders_in_documents_are_put_where_judges_see_documents():
    document = Material("document-1", MaterialKind.DOCUMENT, "The bridge was built in 1932.")
    base = Sample("a", "The bridge was built in 1932, say the documents.", task="When?", materials=(document,))
    (probe,) = _maker([base], "grounded").probes("documents", 1)
    assert probe.materials[0].text != document.text
    assert document.text in probe.materials[0].text
    assert list(_maker([base], "drift-sample").probes("documents", 1)) == []
