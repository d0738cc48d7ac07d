"""Whether a judge judged itself is told by all names of judge and target."""

import pytest

from venire.domain.judge import JudgeIdentity
from venire.domain.judgement import Method
from venire.validation.terms import Occasion


@pytest.mark.parametrize(
    ("judge", "target", "method"),
    [("GLM-4.7", "glm_4.7", Method.SELF_JUDGE), ("GLM-4.7", "kimi", Method.CROSS_JUDGE), ("GLM-4.7", "", None)],
)
def test_the_method_follows_from_the_names(judge, target, method):
    assert Occasion(JudgeIdentity(judge)).method(target) == method


def test_the_method_is_not_known_without_a_judge():
    assert Occasion().method("kimi") is None


def test_aliases_make_two_names_one_model():
    occasion = Occasion(JudgeIdentity("zhipu"), aliases=(("zhipu", "glm"),))
    assert occasion.method("glm") is Method.SELF_JUDGE
