"""Vendors and servers by one word."""

from urllib.parse import urlsplit

import pytest

from venire.errors import ConfigError
from venire.judges.presets import PRESETS

VENDORS = {
    "anthropic": ("anthropic_compatible", "https://api.anthropic.com"),
    "deepseek": ("openai_compatible", "https://api.deepseek.com"),
    "glm": ("anthropic_compatible", "https://api.z.ai/api/anthropic"),
    "glm-cn": ("anthropic_compatible", "https://open.bigmodel.cn/api/anthropic"),
    "minimax": ("anthropic_compatible", "https://api.minimax.io/anthropic"),
    "minimax-cn": ("anthropic_compatible", "https://api.minimaxi.com/anthropic"),
    "openai": ("openai_compatible", "https://api.openai.com/v1"),
}
"""As the vendors document them."""


def test_what_a_judge_says_itself_wins_over_its_preset():
    given = {"base_url": "http://127.0.0.1:9/v1", "structured": "off"}
    assert PRESETS["deepseek"].chosen(given) == ("openai_compatible", {**given, "api_key_env": "DEEPSEEK_API_KEY"})


def test_a_preset_differs_from_its_provider_only_where_its_server_does():
    further = {name: preset.further for name, preset in PRESETS.items() if preset.further}
    by_schema = {"structured": "schema"}
    assert further == {
        "deepseek": {"structured": "object"},
        "glm": {"auth": "bearer"},
        "glm-cn": {"auth": "bearer"},
        "llama.cpp": by_schema,
        "ollama": by_schema,
        "openai": {**by_schema, "max_tokens_field": "max_completion_tokens"},
        "vllm": by_schema,
    }


@pytest.mark.parametrize("name", VENDORS)
def test_a_vendor_is_asked_where_it_listens_with_a_key_of_its_own(name):
    preset = PRESETS[name]
    assert (preset.provider, preset.base_url) == VENDORS[name]
    vendor = name.removesuffix("-cn")
    assert (preset.family, preset.api_key_env) == (vendor, f"{vendor.upper()}_API_KEY")


@pytest.mark.parametrize("name", sorted({*PRESETS} - {*VENDORS}))
def test_a_server_at_home_needs_no_key(name):
    preset, address = PRESETS[name], urlsplit(PRESETS[name].base_url)
    assert (address.scheme, address.hostname, address.path) == ("http", "127.0.0.1", "/v1")
    assert (preset.provider, preset.family, preset.api_key_env) == ("openai_compatible", "", None)


def test_vendors_whose_judges_use_another_scale_than_the_first_are_known():
    scales = {name: preset.scale for name, preset in PRESETS.items() if preset.scale}
    assert scales == {"deepseek": "1-5", "glm": "1-5", "glm-cn": "1-5", "minimax": "0-10", "minimax-cn": "0-10"}


def test_only_vendors_that_document_attachments_are_sent_files():
    assert {name for name, preset in PRESETS.items() if preset.takes_documents} == {"anthropic", "openai"}


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("glm", "https://api.z.ai/api/paas/v4"),
        ("glm-cn", "https://open.bigmodel.cn/api/paas/v4"),
        ("minimax", "https://api.minimax.io/v1"),
        ("minimax-cn", "https://api.minimaxi.com/v1"),
    ],
)
def test_vendors_of_two_formats_are_asked_in_either(name, address):
    kind, options = PRESETS[name].chosen({"format": "openai"})
    assert (kind, options["base_url"], options["api_key_env"]) == (
        "openai_compatible",
        address,
        PRESETS[name].api_key_env,
    )
    assert "format" not in options
    kind, options = PRESETS[name].chosen({"format": "anthropic"})
    assert (kind, options["base_url"]) == ("anthropic_compatible", PRESETS[name].base_url)


@pytest.mark.parametrize(("name", "format_"), [("deepseek", "anthropic"), ("glm", "gemini"), ("glm", ["openai"])])
def test_a_format_that_a_vendor_does_not_speak_is_refused(name, format_):
    with pytest.raises(ConfigError, match="is not one that this judge understands") as refused:
        PRESETS[name].chosen({"format": format_})
    assert "openai" in refused.value.hint
