"""Ids by which a ledger finds things again: the same in every version, or all would be asked and paid twice."""

from datetime import UTC, datetime

import pytest

from venire.domain.curation import item_key
from venire.domain.sample import Bundle, Sample
from venire.domain.vote import VoterPrompt, vote_key
from venire.judges.prompt import template_digest
from venire.runner.records import judgement_key
from venire.runner.task import make_task

SAMPLE = Sample("a", "Text.")


@pytest.mark.parametrize(
    ("found", "known"),
    [
        (SAMPLE.digest, "796be736e86b97fe"),
        (Bundle("b", (SAMPLE,)).digest, "9276405009e338b5"),
        (make_task("j", "1", "2", "3", "4").id, "f10856eb96ef7467"),
        (judgement_key("task", "terms"), "8cb2379cdef38acc"),
        (VoterPrompt("p", "Is it funny?").digest, "1b47fb54da0b6416"),
        (vote_key("ann", "joke-1", "p", datetime(2025, 1, 1, 12, tzinfo=UTC)), "1ca5294f5672ea79"),
        (item_key("joke-1", "p"), "2e4529adb1789733"),
        (template_digest("en"), "a8fe07c9fdff0693"),
        (template_digest("zh"), "940aa96780ebd72a"),
    ],
    ids=["sample", "bundle", "task", "judgement", "voter prompt", "vote", "item", "prompt", "Chinese prompt"],
)
def test_the_id_of_a_known_thing_never_changes(found, known):
    assert found[:16] == known
