import pytest

from making_votes import vote_frame, vote_row
from venire.errors import PoolingError
from venire.votes.analysis.people_votes import people_of, prompts_of, require_one_prompt
from venire.words.language import Words


def test_votes_of_judges_are_left_aside():
    votes = vote_frame([vote_row(1, voter="p"), vote_row(0, voter="j", kind="judge")])
    assert people_of(votes)["voter_id"].to_list() == ["p"]


def test_votes_under_several_prompts_are_not_pooled_and_the_prompts_are_named():
    votes = vote_frame([vote_row(1, prompt="new"), vote_row(1, voter="y", prompt="old")])
    require_one_prompt({"old"})
    with pytest.raises(PoolingError, match="found 2: 'new', 'old'") as refused:
        require_one_prompt(prompts_of(votes))
    assert "实有 2 个提示：'new'、'old'" in refused.value.said(Words("zh"))
