"""Judges by one word: which provider serves a vendor or a server, and where it listens.

Addresses are those that the vendors document publicly; `base_url` in the configuration overrides them. GLM and MiniMax
have addresses of their own inside China, with keys of their own: `glm-cn` and `minimax-cn`. Both also speak OpenAI's
format, at other addresses: `options: {format: openai}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from venire.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping


ServerKind = Literal["openai_compatible", "anthropic_compatible"]
"""The kinds of providers that presets stand for."""

_KINDS: dict[str, ServerKind] = {"openai": "openai_compatible", "anthropic": "anthropic_compatible"}


class Preset(msgspec.Struct, frozen=True):
    """What a judge's `type` stands for."""

    provider: ServerKind
    """The kind of the provider."""
    base_url: str
    """Where the server listens, up to the part that the protocol adds."""
    api_key_env: str | None
    """The variable that holds the key unless the judge names another; None for servers that need no key."""
    family: str = ""
    """The vendor, for telling whether a judge and a target are kin; empty for servers that serve any model."""
    scale: str | None = None
    """The scale that judges of this type use where the protocol has it; None for the protocol's first."""
    takes_documents: bool = False
    """Whether the vendor documents that PDF files may be attached."""
    further: dict[str, Any] = {}
    """Options of the provider in which this server differs from the provider's defaults."""
    openai: dict[str, Any] = {}
    """The options where `format: openai` is asked for; empty where the vendor has no second format."""

    def chosen(self, given: Mapping[str, Any]) -> tuple[ServerKind, dict[str, Any]]:
        """Return the provider and its options: the preset's in the format asked for, overridden by the given ones.

        Raises `ConfigError` for a format that the vendor does not speak.
        """
        spoken: dict[ServerKind, dict[str, Any]] = {self.provider: {"base_url": self.base_url, **self.further}}
        if self.openai:
            spoken["openai_compatible"] = self.openai
        kind = _KINDS.get(str(given["format"])) if "format" in given else self.provider
        if kind is None or kind not in spoken:
            known = tuple(name for name, each in _KINDS.items() if each in spoken)
            raise ConfigError("error.judge.no_format", found=repr(given["format"]), known=known)
        rest = {name: option for name, option in given.items() if name != "format"}
        return kind, {"api_key_env": self.api_key_env, **spoken[kind], **rest}


PRESETS: dict[str, Preset] = {
    "anthropic": Preset(
        "anthropic_compatible",
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        "anthropic",
        takes_documents=True,
    ),
    "deepseek": Preset(
        "openai_compatible",
        "https://api.deepseek.com",
        "DEEPSEEK_API_KEY",
        "deepseek",
        scale="1-5",
        further={"structured": "object"},  # DeepSeek documents JSON mode, but no JSON schema.
    ),
    "glm": Preset(
        "anthropic_compatible",
        "https://api.z.ai/api/anthropic",
        "GLM_API_KEY",
        "glm",
        scale="1-5",
        further={"auth": "bearer"},
        openai={"base_url": "https://api.z.ai/api/paas/v4", "structured": "object"},
    ),
    "glm-cn": Preset(
        "anthropic_compatible",
        "https://open.bigmodel.cn/api/anthropic",
        "GLM_API_KEY",
        "glm",
        scale="1-5",
        further={"auth": "bearer"},
        openai={"base_url": "https://open.bigmodel.cn/api/paas/v4", "structured": "object"},
    ),
    "llama.cpp": Preset("openai_compatible", "http://127.0.0.1:8080/v1", None, further={"structured": "schema"}),
    "minimax": Preset(
        "anthropic_compatible",
        "https://api.minimax.io/anthropic",
        "MINIMAX_API_KEY",
        "minimax",
        scale="0-10",
        openai={"base_url": "https://api.minimax.io/v1", "max_tokens_field": "max_completion_tokens"},
    ),
    "minimax-cn": Preset(
        "anthropic_compatible",
        "https://api.minimaxi.com/anthropic",
        "MINIMAX_API_KEY",
        "minimax",
        scale="0-10",
        openai={"base_url": "https://api.minimaxi.com/v1", "max_tokens_field": "max_completion_tokens"},
    ),
    "ollama": Preset("openai_compatible", "http://127.0.0.1:11434/v1", None, further={"structured": "schema"}),
    "openai": Preset(
        "openai_compatible",
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        "openai",
        takes_documents=True,
        # Reasoning models refuse the older `max_tokens`.
        further={"structured": "schema", "max_tokens_field": "max_completion_tokens"},
    ),
    "vllm": Preset("openai_compatible", "http://127.0.0.1:8000/v1", None, further={"structured": "schema"}),
}
"""All presets by the name that a judge's `type` gives."""
