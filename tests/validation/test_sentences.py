"""Where sentences begin and end, in English, Chinese and Markdown."""

import time

import pytest

from venire.validation.sentences import Sentence, left_out, number_sentences, split_sentences


def sentences(text):
    return [text[each.start : each.end] for each in split_sentences(text)]


def stating(text):
    return [text[each.start : each.end] for each in split_sentences(text) if each.states]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It costs 3.5 euros. Or 4.", ["It costs 3.5 euros.", "Or 4."]),
        ("Use e.g. a card, i.e. yours. Done.", ["Use e.g. a card, i.e. yours.", "Done."]),
        ("Dr. Ray met Mrs. Li vs. Mr. Wu. They lost.", ["Dr. Ray met Mrs. Li vs. Mr. Wu.", "They lost."]),
        ("See no. 5 there. She said no. He left.", ["See no. 5 there.", "She said no.", "He left."]),
        ("Pens etc. are there. Pens etc. They cost.", ["Pens etc. are there.", "Pens etc.", "They cost."]),
        ("J. Doe of the U.S. Court came. He won.", ["J. Doe of the U.S. Court came.", "He won."]),
        ('"Why?" she asked. "It is done." Then rain.', ['"Why?" she asked.', '"It is done."', "Then rain."]),
        ("What?! Yes... And no.", ["What?!", "Yes...", "And no."]),
        ("He has 5. She has 6.", ["He has 5.", "She has 6."]),
        ("今天晴。明天呢？也晴！", ["今天晴。", "明天呢？", "也晴！"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("“你好！”，他说。价格是3.5元。", ["“你好！”，他说。", "价格是3.5元。"]),
        ("见3.5节。OK.好的。", ["见3.5节。", "OK.", "好的。"]),
        ("no end", ["no end"]),
        ("", []),
        ("... --- ？", []),
    ],
)
def test_a_text_is_cut_at_the_ends_of_its_sentences(text, expected):
    assert sentences(text) == expected


def test_lists_rows_and_short_lines_are_sentences_of_their_own():
    text = "Prices:\n- Bread. Fresh.\n2. Milk\n3) 盐\n（4）糖\n> Quoted\nName: Ann\nAge: 30\n"
    text += "| a | b |\n|---|---|\n| Tea | 2 |"
    assert stating(text) == [
        "Prices:",
        "Bread.",
        "Fresh.",
        "Milk",
        "盐",
        "糖",
        "Quoted",
        "Name: Ann",
        "Age: 30",
        "Tea | 2 |",
    ]


def test_headings_code_and_heads_of_tables_state_nothing():
    text = "# Title. More\n**Fares**\n【结论】\n```python\nx = 1. Y = 2\n```\n| a | b |\n|---|---|\nText."
    assert stating(text) == ["Text."]
    assert len(sentences(text)) == 6


def test_a_line_that_was_only_full_goes_on_in_the_next():
    wrapped = "This is a line that some tool has broken because it was full\nand that goes on here. The end."
    assert sentences(wrapped)[0].endswith("goes on here.")
    assert sentences("A short line\nand another") == ["A short line", "and another"]
    assert sentences("This is a line that is as long as the one above, but it ends.\nand so") == [
        "This is a line that is as long as the one above, but it ends.",
        "and so",
    ]


def test_code_that_is_never_closed_reaches_to_the_end():
    assert stating("Before.\n```\nx. Y\nz") == ["Before."]


def test_each_sentence_is_numbered_where_it_begins():
    assert number_sentences("# A\n- One. Two.\n盐。") == "[s1] # A\n- [s2] One. [s3] Two.\n[s4] 盐。"


def test_a_sentence_is_left_out_if_no_span_shares_a_character_with_it():
    text = "One. Two. Three."
    one, two, three = split_sentences(text)
    assert left_out(text, (one, two, three), []) == [one, two, three]
    assert left_out(text, (one, two, three), [(3, 6)]) == [three]
    assert left_out(text, (one, two, three), [(11, 12), (0, 1)]) == [two]
    assert left_out(text, (one, two, three), [(0, len(text))]) == []
    assert left_out(text, (one, two, three), [(4, 5)]) == [one, two, three]


def test_a_sentence_that_states_nothing_is_never_left_out():
    assert left_out("# A", (Sentence(0, 3, states=False),), []) == []


def test_a_sentence_that_is_repeated_to_the_letter_is_not_left_out():
    text = "Yes. No. Yes."
    assert left_out(text, split_sentences(text), [(0, 4), (5, 8)]) == []
    assert len(left_out(text, split_sentences(text), [(5, 8)])) == 2


@pytest.mark.parametrize("piece", [". ", "Mr. ", "a\n", "。", "**", "|-", '"? a', "x" * 60 + "\n"])
def test_no_text_makes_splitting_slower_than_its_length(piece):
    started = time.process_time()
    split_sentences(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 3
