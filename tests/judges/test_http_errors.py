import pytest

from venire.judges.http_errors import retry_after_seconds, server_words

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
