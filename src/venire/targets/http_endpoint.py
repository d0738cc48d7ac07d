"""A target behind any JSON endpoint: a body with variables goes in, and the output stands somewhere in the answer."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from venire.errors import ConfigError
from venire.judges.endpoint import count, cut_off, failed, malformed
from venire.judges.http.errors import say_no_json
from venire.judges.http.proxy import is_loopback
from venire.judges.http.sender import HttpAnswer, HttpSender
from venire.judges.options import read_options
from venire.judges.provider import Reply, Request
from venire.targets.program import told
from venire.targets.template import Template, parse_template, value_in
from venire.targets.whole_answers import without_cut_envelope
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_PLACES, _DEEPEST_PLACE = 5, 6
_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")
DEFAULT_BODY = {"prompt": "{{prompt}}", "system": "{{system}}", "messages": "{{messages}}", "case": "{{case}}"}
"""What is posted where the configuration says nothing."""


class HttpOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a target behind a JSON endpoint is configured with."""

    url: str
    """The address that is posted to."""
    headers: dict[str, str] = {}
    """Further headers; `${NAME}` stands for an environment variable."""
    body: dict[str, Any] | None = None
    """The body; texts in it hold variables. One that is nothing but a variable gives its value, be it a list."""
    answer: str = "output"
    """Where the output stands: names and numbers with dots between them."""
    timeout_seconds: float = 120.0
    """How long one answer may take."""
    max_reply_bytes: int = 4 * 1024 * 1024
    """How many bytes of an answer are read."""
    max_connections: int = 100
    """How many connections may be open at once."""
    insecure_http: bool = False
    """Whether values of variables may be sent over plain http to another machine."""


def create(options: Mapping[str, Any]) -> HttpProvider:
    """Make the target; raises `ConfigError` for an address that is none, and for variables that are not set."""
    return HttpProvider(read_options(options, HttpOptions, "http"))


class HttpProvider:
    """Posts to one endpoint."""

    def __init__(self, options: HttpOptions, environment: Mapping[str, str] = os.environ) -> None:
        secrets = _secrets(options, environment)
        self._body = _parsed(options.body or DEFAULT_BODY, "body")
        self._answer = options.answer
        self._sender = HttpSender(
            _checked(options, secrets),
            {name: _VARIABLE.sub(lambda found: secrets[found[1]], text) for name, text in options.headers.items()},
            key=max(secrets.values(), key=len, default=None),
            timeout_seconds=options.timeout_seconds,
            max_reply_bytes=options.max_reply_bytes,
            max_connections=options.max_connections,
        )

    async def ask(self, request: Request) -> Reply:
        """Post once and return what came back."""
        values = told(request)
        values = {**values["case"], **values}
        return self._reply(await self._sender.post(_filled(self._body, values)))

    async def close(self) -> None:
        """Close all connections."""
        await self._sender.close()

    def _reply(self, answer: HttpAnswer) -> Reply:
        if answer.error is not None:
            return failed(answer)
        if answer.cut:
            return without_cut_envelope(cut_off(answer))
        try:
            content = msgspec.json.decode(answer.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return malformed(answer, say_no_json(answer.body))
        text = _at(content, self._answer)
        if not isinstance(text, str):
            texts = tuple(islice(_places_of_texts(content), _MOST_PLACES)) or say("problem.none")
            return malformed(answer, say("error.target.no_answer_there", path=self._answer, texts=texts))
        usage = content.get("usage") if isinstance(content, dict) else None
        return Reply(
            text,
            body=answer.body,
            status=answer.status,
            input_tokens=count(usage, "input_tokens") or count(usage, "prompt_tokens"),
            output_tokens=count(usage, "output_tokens") or count(usage, "completion_tokens"),
            latency_seconds=answer.latency_seconds,
            rate_limits=answer.rate_limits,
        )


def _places_of_texts(content: Any, place: str = "") -> Iterator[str]:
    """Yield where an answer holds texts, as `answer:` would name them; names are those of the server."""
    if isinstance(content, str) and place:
        yield "".join(filter(str.isprintable, place))[:80]
    elif isinstance(content, (dict, list)) and place.count(".") < _DEEPEST_PLACE:
        for name, each in content.items() if isinstance(content, dict) else enumerate(content):
            yield from _places_of_texts(each, f"{place}.{name}" if place else str(name))


def _secrets(options: HttpOptions, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that headers name; raises `ConfigError` for one that is not set, without its value."""
    found: dict[str, str] = {}
    for name in (name for text in options.headers.values() for name in _VARIABLE.findall(text)):
        value = environment.get(name, "").strip()
        if not value:
            raise ConfigError("error.judge.no_key", variable=name)
        if not value.isascii() or not value.isprintable():
            raise ConfigError("error.judge.key_signs", variable=name)
        found[name] = value
    return found


def _checked(options: HttpOptions, secrets: dict[str, str]) -> str:
    try:
        parts = urlsplit(options.url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or parts.username or parts.password:
        raise ConfigError("error.target.url", found=options.url.rpartition("@")[2])
    is_plain = parts.scheme == "http" and not options.insecure_http and not is_loopback(parts.hostname or "")
    if secrets and is_plain:
        raise ConfigError("error.judge.key_over_http", variable=next(iter(secrets)), host=parts.hostname)
    return options.url


def _parsed(value: Any, where: str) -> Any:
    """Read the texts of a body as templates; raises `ConfigError` for one that is not closed."""
    if isinstance(value, str):
        return parse_template(value, where)
    if isinstance(value, dict):
        return {name: _parsed(each, f"{where}.{name}") for name, each in value.items()}
    return [_parsed(each, where) for each in value] if isinstance(value, list) else value


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, Template):
        if value.parts[0] == "" and len(value.parts) == 3 and value.parts[2] == "" and value.parts[1] in values:
            return values[value.parts[1]]
        texts = {name: each for name, each in values.items() if isinstance(each, str)}
        return value.fill(value_in(texts, value.where))
    if isinstance(value, dict):
        return {name: _filled(each, values) for name, each in value.items()}
    return [_filled(each, values) for each in value] if isinstance(value, list) else value


def _at(content: Any, path: str) -> Any:
    """Return what stands at a path; None if nothing does.

    >>> _at({"choices": [{"text": "yes"}]}, "choices.0.text")
    'yes'
    """
    for step in path.split("."):
        if isinstance(content, dict):
            content = content.get(step)
        elif isinstance(content, list) and step.isdigit() and int(step) < len(content):
            content = content[int(step)]
        else:
            return None
    return content
