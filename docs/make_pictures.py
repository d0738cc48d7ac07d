"""Make the pictures of the README from the demo: the first screen of its report and the viewer, light and dark.

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


def main() -> None:
    """Take each picture in both themes."""
    report = OUTPUT / "report.html"
    if not report.exists():
        raise SystemExit("make_pictures: there is no demo-output/report.html; run `make demo` first")
    PICTURES.mkdir(exist_ok=True)
    command = [sys.executable, "-u", "-m", "venire", "view", str(OUTPUT / "ledger.sqlite"), "--lang", "en"]
    opened = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own command
    with opened as viewer, sync_playwright() as playwright:
        found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        address = _address(viewer)
        for theme in ("light", "dark"):
            _take(browser, report.as_uri(), PICTURES / f"report-{theme}.png", theme)
            _take(browser, address, PICTURES / f"viewer-{theme}.png", theme, click="main a[href*='output']")
        browser.close()
        viewer.terminate()


def _address(viewer: subprocess.Popen[str]) -> str:
    for line in viewer.stdout or ():
        found = re.search(r"http://\S+", line)
        if found:
            return found[0]
    raise SystemExit("make_pictures: the viewer printed no address")


def _take(browser: Browser, address: str, path: Path, theme: str, click: str = "") -> None:
    context = browser.new_context(viewport=SIZE, color_scheme=theme, locale="en-US")  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    if click:
        page.locator(click).first.click()
        page.wait_for_load_state()
    page.screenshot(path=path)
    context.close()
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
