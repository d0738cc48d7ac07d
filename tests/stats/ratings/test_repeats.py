from rating_rows import judgement_rows, primary
from venire.domain.judgement import Status


def test_the_first_valid_reply_counts_if_a_judge_was_asked_again_after_an_invalid_one():
    rows = [
        *judgement_rows("u1", "j", {"a": 1}, status=Status.INVALID),
        *judgement_rows("u1", "j", {"a": 1}, status=Status.INVALID, repeat="reask-1"),
        *judgement_rows("u1", "j", {"a": 2}, repeat="reask-10"),
        *judgement_rows("u1", "j", {"a": 0}, repeat="reask-2"),
        *judgement_rows("u1", "other", {"a": 1}),
        *judgement_rows("u1", "other", {"a": 2}, repeat="reask-1"),
    ]
    found = primary(rows)
    assert found.table.frame["judgement"].to_list() == ["u1|j|reask-2|", "u1|other|0|"]
    assert found.excluded == {"invalid": 2, "asked again": 2}


def test_a_consistency_check_never_stands_in_for_an_invalid_first_reply():
    rows = [
        *judgement_rows("u1", "j", {"a": 1}, status=Status.INVALID),
        *judgement_rows("u1", "j", {"a": 2}, repeat="retest-1"),
        *judgement_rows("u2", "j", {"a": 1}, status=Status.INVALID),
        *judgement_rows("u2", "j", {"a": 2}, repeat="reask-1"),
    ]
    found = primary(rows)
    assert found.table.frame["judgement"].to_list() == ["u2|j|reask-1|"]
    assert found.excluded == {"invalid": 2, "asked again": 1}
