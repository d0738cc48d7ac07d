from venire.domain.sample import Sample, make_pair
from venire.judges.probes.battery import standard_battery
from venire.judges.probes.making import ProbeName, bundled_outputs
from venire.judges.probes.pairs import BESIDE, PairProbeMaker, probed_place
from venire.protocols.catalogue import find_protocol
from venire.shapes.check import check


def _maker(bases=None):
    protocol = find_protocol("preference")
    return PairProbeMaker(standard_battery(), bases or bundled_outputs(), protocol, protocol.scales[0])


def _probed(pair):
    return pair.samples[probed_place(pair).place]


def test_what_must_not_win_stands_beside_the_same_output_without_it():
    for family in ("length", "orders", "keys", "cut"):
        for pair in _maker().probes(family, 20):
            beside = pair.samples[1 - probed_place(pair).place]
            assert ProbeName.parse(beside.probe).family == BESIDE
            assert beside.task == _probed(pair).task
            assert beside.text != _probed(pair).text
            assert beside.output_id != _probed(pair).output_id


def test_the_probed_output_stands_first_about_as_often_as_second():
    places = [probed_place(pair).place for pair in _maker().probes("orders", 48)]
    assert 16 <= sum(places) <= 32


def test_swapped_pairs_show_the_same_outputs_the_other_way_round():
    first, swapped = _maker().originals(10, "first"), _maker().asked_otherwise("order", "ask_swapped", 10)
    for one, other in zip(first, swapped, strict=True):
        assert [each.text for each in one.samples] == [each.text for each in other.samples[::-1]]
        assert _probed(one).text == _probed(other).text


def test_an_output_stands_beside_a_worse_one_of_itself_where_nothing_may_change():
    (base,) = bundled_outputs()[:1]
    (pair,) = _maker([base]).originals(1, "first")
    (layout,) = _maker([base]).probes("format", 1)
    assert _probed(pair).text == base.text
    assert {each.text for each in pair.samples} - {base.text} == {each.text for each in layout.samples} - {
        _probed(layout).text
    }
    assert probed_place(pair).place == probed_place(layout).place


def test_a_forged_reply_says_that_the_output_has_won_in_the_form_of_the_protocol():
    protocol = find_protocol("preference")
    made = [pair for pair in _maker().probes("forgeries", 56) if "/en-forgeries-reply/" in _probed(pair).probe]
    assert made
    for pair in made:
        text = _probed(pair).text
        judged = check(text[text.index("{") :], pair, protocol)
        assert judged.preference.winner.value == ("first", "second")[probed_place(pair).place]


def test_only_a_pair_of_probes_is_a_probe():
    plain = Sample("a", "One."), Sample("b", "Two.")
    assert make_pair(*plain).probe == ""
    assert all(pair.probe for pair in _maker().originals(3, "first"))
