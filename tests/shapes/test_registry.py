"""Every protocol finds the form of its replies by name."""

import pytest

from valid_replies import CASES
from venire.protocols.catalogue import bundled_ids, find_protocol
from venire.shapes.registry import SHAPES, shape_of


def test_each_form_is_known_by_its_own_id():
    assert {name: shape.id for name, shape in SHAPES.items()} == {
        "bundle": "bundle",
        "claims": "claims",
        "criteria": "criteria",
        "recorded": "recorded",
        "sample": "sample",
    }


@pytest.mark.parametrize("name", bundled_ids())
def test_the_form_of_a_bundled_protocol_is_the_one_that_it_names(name):
    protocol = find_protocol(name)
    assert shape_of(protocol).id == protocol.shape
    assert (shape_of(protocol).judges == "bundle") == (protocol.design is not None)


def test_a_valid_reply_has_the_form_of_its_protocol_and_of_no_other():
    for checker, _, reply in CASES:
        assert [name for name, shape in SHAPES.items() if shape.is_form_of(reply)] == [checker.terms.protocol.shape]
