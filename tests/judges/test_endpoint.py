"""What every judge behind HTTP is configured with, and how failed answers become replies."""

import pytest

from venire.errors import ConfigError
from venire.judges.endpoint import EndpointOptions, check_extra_body, count, endpoint_url, read_key


def options(url="https://host.example/v1", **fields):
    return EndpointOptions(base_url=url, **fields)


def test_the_path_of_the_protocol_follows_the_address():
    assert endpoint_url(options("https://host.example/v1/"), "/chat") == "https://host.example/v1/chat"
    assert endpoint_url(options("http://127.0.0.1:8000"), "/chat") == "http://127.0.0.1:8000/chat"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "host.example/v1",
        "ftp://host.example",
        "https://",
        "https://host.example:0",
        "https://host.example:99999",
        "https://host.example/a b",
        "https://ann:secret@host.example",
        "https://ann@host.example",
        "https://host.example/?key=secret",
        "https://host.example/#secret",
    ],
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused_without_repeating_it(url):
    with pytest.raises(ConfigError) as told:
        endpoint_url(options(url), "/chat")
    assert "secret" not in str(told.value)


def test_fields_that_requests_have_already_are_no_further_ones():
    given = options(extra_body={"stop": ["x"], "model": "other"})
    check_extra_body(given, ("seed",), "")
    with pytest.raises(ConfigError, match="model"):
        check_extra_body(given, ("model", "seed"), "")


def test_a_server_that_needs_no_key_is_asked_without_one():
    assert read_key(options(), {"KEY": "k"}) is None


@pytest.mark.parametrize("value", ["", "  ", "two words", "schlüssel", "a\x07b"])
def test_a_key_that_cannot_be_one_is_told_by_its_variable_alone(value):
    with pytest.raises(ConfigError) as told:
        read_key(options(api_key_env="KEY"), {"KEY": value})
    assert "KEY" in str(told.value)
    assert not value.strip() or value not in str(told.value)


def test_a_key_in_place_of_its_variable_is_not_repeated():
    with pytest.raises(ConfigError) as told:
        read_key(options(api_key_env="sk-secret"), {"sk-secret": "k"})
    assert "sk-secret" not in str(told.value)


@pytest.mark.parametrize(
    ("url", "insecure", "is_sent"),
    [
        ("https://host.example", False, True),
        ("http://127.0.0.1:1", False, True),
        ("http://localhost", False, True),
        ("http://host.example", True, True),
        ("http://host.example", False, False),
    ],
)
def test_a_key_goes_over_plain_http_only_at_home_or_if_asked_for(url, insecure, is_sent):
    given = options(url, api_key_env="KEY", insecure_http=insecure)
    if is_sent:
        assert read_key(given, {"KEY": " k \n"}) == "k"
    else:
        with pytest.raises(ConfigError, match=r"host\.example"):
            read_key(given, {"KEY": "k"})


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"in": 3}, 3),
        ({"in": 0}, 0),
        ({"in": -1}, None),
        ({"in": True}, None),
        ({"in": 1.5}, None),
        ({}, None),
        (7, None),
    ],
)
def test_only_a_whole_number_is_a_count_of_tokens(usage, tokens):
    assert count(usage, "in") == tokens
