"""Lines of Chinese at a terminal fit, lose nothing, and begin and end as Chinese lines do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from venire.reports.terminal.line_breaks import broken_for

WIDTH = 20
CHINESE = st.text("回复引文分数，。；：、（）“”…a1/_. ", max_size=80).map(str.strip)


def test_a_line_ends_between_characters_and_fills_the_width():
    assert broken_for(10, "引文必须逐字出现在文本中") == "引文必须逐\n字出现在文\n本中"


def test_closing_punctuation_stays_with_the_word_before_it_and_opening_with_the_one_behind():
    assert broken_for(8, "四个汉字，然后（括号）") == "四个汉\n字，然后\n（括号）"


def test_words_of_other_scripts_are_not_broken():
    assert broken_for(16, "位于 /scores/overall 处") == "位于\n/scores/overall\n处"


def test_a_line_without_chinese_is_left_to_the_console():
    assert broken_for(5, "one two three") == "one two three"


def test_breaks_that_are_there_stay():
    assert broken_for(80, "第一行\n第二行") == "第一行\n第二行"


@given(CHINESE)
def test_nothing_but_blanks_at_breaks_is_lost(text):
    assert "".join(broken_for(WIDTH, text).split()) == "".join(text.split())


@given(CHINESE)
def test_no_line_is_wider_unless_it_is_one_piece(text):
    for line in broken_for(WIDTH, text).splitlines():
        narrower = broken_for(1, line).splitlines()
        assert cell_len(line) <= WIDTH or len(narrower) == 1


@given(CHINESE)
def test_no_line_but_the_first_begins_with_closing_punctuation(text):
    assert not [line for line in broken_for(WIDTH, text).splitlines()[1:] if line[:1] in tuple("，。；：、）”…")]


def test_a_p_value_stays_on_one_line():
    assert broken_for(14, "高出这些分数，p = 0.049。").splitlines() == ["高出这些分数，", "p = 0.049。"]
