import ssl

import pytest

from venire.judges.http.errors import (
    kind_of_status,
    rate_limits,
    reset_seconds,
    retry_after_seconds,
    say_connection_error,
    server_words,
)
from venire.judges.http.failures import (
    BrokenOffError,
    ConnectTimeoutError,
    HungUpError,
    NoHostError,
    NotConnectedError,
    NotHttpError,
    NoTlsError,
    ProxyRefusedError,
)
from venire.judges.provider import LimitLeft
from venire.words.language import Words

MORNING = 784_111_777.0  # Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110 §5.6.7


@pytest.mark.parametrize(
    ("value", "now", "expected"),
    [
        ("3", 0.0, 3.0),
        ("0.5", 0.0, 0.5),
        ("-1", 0.0, 0.0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", MORNING - 30, 30.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", MORNING - 30, 30.0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", MORNING + 30, 0.0),
        ("soon", 0.0, None),
        ("inf", 0.0, None),
        ("nan", 0.0, None),
        ("", 0.0, None),
        (None, 0.0, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(value, now, expected):
    assert retry_after_seconds(value, now) == expected


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "a\\n b"}}', "a b"),
        (b'{"error": "plain"}', "plain"),
        (b'{"message": "top"}', "top"),
        (b'{"error": {"message": 3}}', ""),
        (b"[1]", ""),
        (b"\xff", ""),
        (b"[" * 100_000, ""),
    ],
)
def test_the_servers_words_are_found_where_servers_put_them(body, words):
    assert server_words(body) == words


def test_the_servers_words_are_shortened():
    assert len(server_words(b'{"error": "' + b"x" * 5000 + b'"}')) == 200


@pytest.mark.parametrize(
    ("statuses", "kind"),
    [
        ([429], "rate_limited"),
        ([401, 403, 407], "auth"),
        ([402], "quota"),
        ([408], "timeout"),
        ([500, 503, 599], "server"),
        ([301, 400, 404, 409, 422, 428, 430, 499], "bad_request"),
    ],
)
def test_a_status_says_whether_asking_again_helps(statuses, kind):
    assert {kind_of_status(status) for status in statuses} == {kind}


REFUSED = ConnectionRefusedError(111, "Connect call failed ('10.0.0.1', 443)")


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (ConnectTimeoutError(), "timeout", "no connection in time"),
        (TimeoutError(), "timeout", "within 30 s"),
        (NoTlsError("a:443", ssl.SSLError()), "connection", "no TLS connection to a:443: sslerror"),
        (NoTlsError("a:443", ssl.SSLCertVerificationError()), "connection", "the certificate of a:443 is not trusted"),
        (ssl.SSLError(), "connection", "SSLError"),
        (NoHostError("judge.example"), "connection", "judge.example has no address"),
        (NotConnectedError("p", 3128, REFUSED, is_proxy=True), "connection", "the proxy p:3128: connection refused"),
        (NotConnectedError("a", 443, REFUSED, is_proxy=False), "connection", "to a:443: connection refused"),
        (NotConnectedError("a", 443, OSError(), is_proxy=False), "connection", "to a:443: OSError"),
        (ProxyRefusedError(407), "auth", "HTTP 407"),
        (ProxyRefusedError(502), "connection", "HTTP 502"),
        (HungUpError(), "connection", "closed the connection"),
        (ConnectionResetError(), "connection", "closed the connection"),
        (BrokenOffError(), "connection", "before it was complete"),
        (NotHttpError(), "malformed", "not HTTP"),
        (OSError(), "connection", "OSError"),
    ],
)
def test_an_error_of_the_connection_is_said_in_our_own_words(error, kind, words):
    found, said = say_connection_error(error, 30.0)
    assert found == kind
    assert words in said


def test_both_spellings_are_read_for_what_they_limit():
    openai = {
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6m0s",
    }
    assert rate_limits(openai, 0.0) == (LimitLeft("requests", 59, 1.0), LimitLeft("tokens", 149984, 360.0))
    anthropic = {
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": "1970-01-01T00:01:00Z",
    }
    assert rate_limits(anthropic, 10.0) == (LimitLeft("tokens", 0, 50.0),)


def test_a_number_of_seconds_since_1970_is_a_date():
    assert reset_seconds("1700000060", now=1_700_000_000.0) == 60.0


@pytest.mark.parametrize("value", ["", "soon", "-1", "nan", "inf", "1970-01-01T00:00:30", "9" * 400, "1s2"])
def test_what_cannot_be_read_is_left_out(value):
    assert reset_seconds(value, 0.0) is None
    assert rate_limits({"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": value}, 0.0) == ()


def test_why_nobody_could_be_reached_is_said_in_chinese_too():
    _, words = say_connection_error(NotConnectedError("a", 443, REFUSED, is_proxy=False), 1.0)
    assert Words("zh").of(words) == "无法连接 a:443：连接被拒绝"
