"""The configuration file of a server."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from litestar.testing import TestClient

from making_courts import write_samples
from venire.errors import ConfigError, UsageError
from venire.protocols.voter_prompts import bundled_prompt
from venire.server.app import create_app
from venire.server.config_file import load_options
from venire.server.court.court import Court
from venire.server.demo import make_demo, make_links
from venire.server.options import DEFAULT_PROMPT, DEFAULT_PROMPT_ZH, ServerOptions
from venire.server.people.person import Role

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo's court with a client for readers."""
    options = asyncio.run(make_demo(tmp_path_factory.mktemp("demo"), NOW))
    court = Court(options)
    links = {each.role: each.link for each in make_links(court)}
    key = links[Role.READER].partition("#")[2]
    headers = {"host": "127.0.0.1:8600", "authorization": f"Bearer {key}"}
    with TestClient(create_app(options, court)) as http:
        http.headers.update(headers)
        yield court, http, links


def test_a_configuration_file_sets_up_a_server(tmp_path):
    (tmp_path / "server.yaml").write_text(
        'ledger: votes.sqlite\nport: 9000\nvote_scale: unit\ndecay: 7d\nvoter_prompt: {id: helpful, text: "Good?"}\n'
    )
    options = load_options(tmp_path / "server.yaml", port=9001)

    assert options.ledger == str(tmp_path / "votes.sqlite")
    assert options.registry == tmp_path / "votes.sqlite.people"
    assert (options.port, options.vote_scale, options.voter_prompt.text) == (9001, "unit", "Good?")
    assert options.decay.rate_per_second == pytest.approx(0.6931 / (7 * 86400), rel=1e-3)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("language: zh\n", ("accept-zh", "这份输出是否足以交给提出请求的人？")),
        ('language: zh\nvoter_prompt: {id: ok, text: "行吗？"}\n', ("ok", "行吗？")),
        ("language: en\n", (DEFAULT_PROMPT.id, DEFAULT_PROMPT.text)),
        ("voter_prompt: grand-jury\n", ("grand-jury", bundled_prompt("grand-jury").text)),
        ("voter_prompt: grand-jury-zh\n", ("grand-jury-zh", bundled_prompt("grand-jury-zh").text)),
    ],
)
def test_jurors_are_asked_in_the_language_of_the_pages_unless_other_words_are_given(tmp_path, text, asked):
    (tmp_path / "server.yaml").write_text(f"ledger: votes.sqlite\n{text}", "utf-8")

    prompt = load_options(tmp_path / "server.yaml").voter_prompt

    assert (prompt.id, prompt.text) == asked


def test_the_prompt_that_the_command_line_names_goes_before_that_of_the_file(tmp_path):
    (tmp_path / "server.yaml").write_text("ledger: votes.sqlite\nvoter_prompt: {id: ok, text: Fine}\n", "utf-8")
    assert load_options(tmp_path / "server.yaml", voter_prompt="grand-jury").voter_prompt.id == "grand-jury"
    with pytest.raises(UsageError, match="no voter prompt 'petty' comes with Venire"):
        load_options(tmp_path / "server.yaml", voter_prompt="petty")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prot: 1\n", "unknown key"),
        ("port: 0\n", "server.yaml:1: expected a whole number >= 1"),
        ("ledger: [\n", "not YAML"),
        ("port: 1\n", "ledger"),
    ],
)
def test_a_wrong_configuration_is_named_with_its_line(tmp_path, text, message):
    (tmp_path / "server.yaml").write_text(text)

    with pytest.raises(ConfigError) as wrong:
        load_options(tmp_path / "server.yaml")

    assert message in str(wrong.value)


@pytest.fixture
def ledger(tmp_path):
    path = str(tmp_path / "ledger.sqlite")
    write_samples(path, 1)
    return path


def test_what_nobody_says_is_as_the_options_have_it():
    assert load_options(None, ledger="memory:") == ServerOptions(ledger="memory:")


@pytest.mark.parametrize("scale", ["unit", "pairs"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_jurors_are_asked_follows_scale_and_language_of_the_file_and_of_the_command(tmp_path, scale, language):
    usual = {"en": DEFAULT_PROMPT, "zh": DEFAULT_PROMPT_ZH}[language]
    expected = bundled_prompt({"en": "prefer", "zh": "prefer-zh"}[language]) if scale == "pairs" else usual
    (tmp_path / "server.yaml").write_text(f"ledger: votes.sqlite\nvote_scale: {scale}\nlanguage: {language}\n")
    (tmp_path / "bare.yaml").write_text("ledger: votes.sqlite\n")
    in_file = load_options(tmp_path / "server.yaml")
    in_command = load_options(tmp_path / "bare.yaml", vote_scale=scale, language=language)
    for options in (in_file, in_command):
        assert (options.vote_scale, options.language, options.voter_prompt) == (scale, language, expected)
