"""What an adaptive jury is expected to be asked, before anything is asked."""

import msgspec
import pytest

from asking_juries import graded_samples, write_jury
from venire.config import load_settings
from venire.workflows.jury.plan import expect_jury
from venire.workflows.plan import plan

ESTIMATE = {"until": {"half_width": 0.3}, "most": 4}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jury")
    settings = load_settings(write_jury(folder, "http://127.0.0.1:9", ESTIMATE, graded_samples(40)))
    plans = plan(settings)

    def expect(cost):
        greatest = {name: msgspec.structs.replace(each, cost=cost) for name, each in plans.items()}
        return expect_jury(settings, settings.config.jury, greatest), plans

    return expect


def test_what_a_jury_costs_is_not_known_where_a_judge_has_no_price(expected):
    assert expected(None)[0].cost is None


def test_a_jury_that_needs_every_ask_costs_the_most_that_it_can(expected):
    found, plans = expected(8.0)
    assert found.asks == sum(each.tasks for each in plans.values()) == 160
    assert (found.first, found.cost) == (80, 8.0 * len(plans))
