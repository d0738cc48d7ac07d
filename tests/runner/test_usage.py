"""Tokens: estimated on the high side, counted as the server says."""

from experiment import make_judge
from venire.judges.provider import Attachment, Decoding, Reply, Request
from venire.runner.usage import Tokens, count, estimate


def request(user, **keys):
    return Request("oak", "", user, Decoding(max_tokens=50), {}, **keys)


def test_latin_text_counts_by_letters_and_other_scripts_by_more():
    latin, chinese = estimate(request("a" * 300)), estimate(request("评" * 300))
    assert latin.input - estimate(request("")).input == 100
    assert chinese.input - estimate(request("")).input == 450
    assert latin.output == 50


def test_documents_count_too():
    attached = request("", attachments=(Attachment("d.pdf", "application/pdf", b"x" * 160_000),))
    assert estimate(attached).input - estimate(request("")).input == 13_000


def test_a_judge_that_is_no_model_takes_no_tokens():
    assert estimate(Request("", "s", "u", Decoding(), {})) == Tokens(0, 0)


def test_the_servers_own_count_stands():
    assert count(Reply("x", input_tokens=7, output_tokens=3), Tokens(100, 100)) == Tokens(7, 3)


def test_a_reply_without_a_count_is_taken_for_what_was_expected():
    assert count(Reply("x"), Tokens(100, 100)) == Tokens(100, 100)


def test_a_request_that_timed_out_may_be_billed_and_a_refused_one_is_not():
    expected = Tokens(100, 100)
    assert count(Reply(None, error="x", error_kind="timeout"), expected) == expected
    assert count(Reply(None, error="x", error_kind="rate_limited"), expected) == Tokens(0, 0)


def test_prices_are_by_the_million():
    from venire.judges.panel import Price

    judge = make_judge(price=Price(input_per_million=2.0, output_per_million=10.0))
    assert judge.price.cost(500_000, 100_000) == 2.0
