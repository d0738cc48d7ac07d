"""Make the pictures of the README from the demo: its report's first screen and the viewer, by language and theme.

Run: make pictures (after make demo; needs a Chromium and the extra `dev`)
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
OUTPUT, PICTURES = ROOT / "demo-output", ROOT / "docs/pictures"
SIZE = {"width": 1280, "height": 800}


LOCALES = {"en": "en-US", "zh": "zh-CN"}


def main() -> None:
    """Take each picture in both languages and both themes."""
    missing = [name for name in ("report.html", "report.zh.html") if not (OUTPUT / name).exists()]
    if missing:
        raise SystemExit(f"make_pictures: there is no demo-output/{missing[0]}; run `make demo` first")
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for language in LOCALES:
            _take_all(browser, language)
        browser.close()


def _take_all(browser: Browser, language: str) -> None:
    report = OUTPUT / ("report.html" if language == "en" else f"report.{language}.html")
    end = "" if language == "en" else f".{language}"
    command = [sys.executable, "-u", "-m", "venire", "view", str(OUTPUT / "ledger.sqlite"), "--lang", language]
    opened = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own command
    with opened as viewer:
        address = _address(viewer)
        for theme in ("light", "dark"):
            look = {"color_scheme": theme, "locale": LOCALES[language]}
            _take(browser, report.as_uri(), PICTURES / f"report-{theme}{end}.png", look)
            _take(browser, address, PICTURES / f"viewer-{theme}{end}.png", look, disputed=True)
        viewer.terminate()


def _address(viewer: subprocess.Popen[str]) -> str:
    for line in viewer.stdout or ():
        found = re.search(r"http://\S+", line)
        if found:
            return found[0]
    raise SystemExit("make_pictures: the viewer printed no address")


def _take(browser: Browser, address: str, path: Path, look: dict[str, str], *, disputed: bool = False) -> None:
    context = browser.new_context(viewport=SIZE, **look)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    if disputed:  # The output that the README walks back to.
        page.goto(page.url.partition("?")[0] + "?order=disputed")
        page.locator("#list a").first.click()
        page.wait_for_load_state()
    page.screenshot(path=path)
    context.close()
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
