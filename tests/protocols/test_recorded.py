"""The protocol of another tool's records: one for each tool, scorer and version."""

import pytest

from venire.protocols.recorded import common_scale, holds, recorded_protocol


def made(version="1", scorer="s", by="", dimensions=("s",), lowest=0.0, highest=1.0):
    return recorded_protocol("tool", version, scorer, by, dimensions, lowest, highest)


def test_it_names_tool_scorer_version_and_that_nothing_was_checked():
    protocol = made(by="human")
    assert (protocol.id, protocol.version) == ("tool/s/human", "1")
    assert "did not check" in protocol.source["en"]
    assert "未经 Venire 核查" in protocol.source["zh"]
    assert not protocol.asks_for_quotes
    assert (protocol.overall.field, protocol.overall.rule) == ("overall", "sum")


def test_another_version_or_judge_of_the_same_scorer_is_another_protocol():
    assert len({made().digest, made(version="2").digest, made(by="human").digest, made(scorer="t").digest}) == 4


@pytest.mark.parametrize(
    ("lowest", "highest", "scale"),
    [(0, 1, (0, 1)), (0.4, 0.4, (0, 1)), (-1, 0, (-1, 1)), (2, 5, (1, 5)), (0, 5, (0, 5)), (0, 101, (0, 1000))],
)
def test_the_scale_is_the_narrowest_common_one(lowest, highest, scale):
    assert common_scale(lowest, highest) == scale


def test_a_protocol_of_the_same_scorer_holds_scores_that_it_has_room_for():
    assert holds(made(lowest=2, highest=5.0), made(), 1.0, 1.0)
    assert not holds(made(lowest=2, highest=5.0), made(), 0.0, 1.0)
    assert not holds(made(version="2"), made(), 0.0, 1.0)
    assert not holds(made(), made(dimensions=("s", "t")), 0.0, 1.0)
