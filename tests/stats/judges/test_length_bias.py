import itertools

import numpy as np
import pytest

from rating_rows import overall_row, primary
from venire.stats.judges.length_bias import length_bias


def test_length_bias_is_the_slope_inside_questions():
    rng = np.random.default_rng(2)
    rows = []
    for question, copy in itertools.product(range(20), range(4)):
        # Hard questions have longer outputs: across questions the slope would be negative.
        length = 100 * 2 ** (question / 10 + rng.uniform(0, 2))
        score = 8 - question / 3 + 0.4 * np.log2(int(length)) - 0.4 * np.log2(100 * 2 ** (question / 10))
        rows.append(
            overall_row(
                f"{question} {copy}", "j", score + rng.normal(0, 0.05), question_id=str(question), length=int(length)
            )
        )
    (found,) = length_bias(primary(rows))
    assert found.estimate.low < 0.4 < found.estimate.high
    assert found.estimate.value == pytest.approx(0.4, abs=0.05)
    assert found.observations == 80


def test_outputs_alone_in_their_question_say_nothing_about_length():
    rows = [overall_row(f"u{n}", "j", n % 10, question_id=str(n), length=n + 1) for n in range(50)]
    (found,) = length_bias(primary(rows))
    assert (found.estimate.value, found.observations) == (None, 0)


def test_without_lengths_length_bias_is_not_known():
    (found,) = length_bias(primary([overall_row("u", "j", 1, question_id="q")]))
    assert "length" in found.estimate.reason
