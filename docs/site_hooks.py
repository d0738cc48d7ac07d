"""What the site does beside MkDocs: pages in Chinese have Chinese menus, and say to browsers that they are Chinese."""

from __future__ import annotations

from typing import Any


def on_page_context(context: dict[str, Any], page: Any, config: Any, nav: Any) -> dict[str, Any]:
    """Choose the language of the page that is about to be rendered; MkDocs calls this for one page after another."""
    del nav
    config.theme["language"] = "zh" if page.file.src_uri.endswith(".zh.md") else "en"
    return context
