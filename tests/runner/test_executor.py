"""Python looks for garbage less often while a run is under way, and as before when it is over."""

import gc

import pytest

from experiment import FakeProvider, good_reply, make_samples, run_fakes
from venire.runner.executor import COLLECT_AFTER, rare_collections


@pytest.fixture
def threshold():
    before = gc.get_threshold()
    yield gc.set_threshold
    gc.set_threshold(*before)


def test_a_run_looks_less_often_and_leaves_the_process_as_it_was(threshold):
    threshold(700, 11, 12)
    during = []

    def answer(request):
        during.append(gc.get_threshold())
        return good_reply(request)

    run_fakes({"oak": FakeProvider(answer)}, make_samples(1))
    assert during == [(COLLECT_AFTER, 11, 12)]
    assert gc.get_threshold() == (700, 11, 12)


@pytest.mark.parametrize("youngest", [0, COLLECT_AFTER * 5])
def test_a_process_that_looks_never_or_more_rarely_still_is_left_as_it_is(threshold, youngest):
    threshold(youngest, 10, 10)
    with rare_collections():
        assert gc.get_threshold() == (youngest, 10, 10)
    assert gc.get_threshold() == (youngest, 10, 10)
