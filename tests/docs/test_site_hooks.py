from __future__ import annotations

from types import SimpleNamespace

import pytest

from doc_scripts import load_script


@pytest.mark.parametrize(("page", "language"), [("how-to/votes.zh.md", "zh"), ("how-to/votes.md", "en")])
def test_a_page_of_the_site_has_the_menus_of_its_language(page: str, language: str) -> None:
    config = SimpleNamespace(theme={"language": "en" if language == "zh" else "zh"})
    shown = SimpleNamespace(file=SimpleNamespace(src_uri=page))
    hook = load_script("site_hooks").on_page_context
    assert hook({"a": 1}, page=shown, config=config, nav=None) == {"a": 1}
    assert config.theme["language"] == language
