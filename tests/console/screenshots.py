"""Pictures of the console's pages, in every language, at the size of a phone and of a desk.

    python -m tests.console.screenshots build/screenshots

Needs chromium, and a font for each language.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Final

from daemon.act.audit import Audit
from daemon.console.pages import PAGES
from tests.console.pages import WORDS, open_pages
from tests.console.test_console_browser import DESK, PHONE, chromium, opened

_SIZES: Final = {"phone": PHONE, "desk": DESK}
_SAID: Final = {
    "en": ("turn off all the lights except the bedroom", "set a pasta timer for ten minutes", "turn on the desk lamp"),
    "zh": ("除了卧室把灯都关了", "定一个十分钟的煮面计时器", "打开台灯"),
}


async def _taken(lang: str, folder: Path, kept: Path) -> None:
    """Talks a little, and takes a picture of each page."""
    async with chromium() as browser, open_pages(kept, audit=Audit(kept / "audit.db")) as pages:
        for size, measures in _SIZES.items():
            async with opened(browser, pages.port, lang, measures) as page:
                for text in _SAID[lang]:
                    lines = page.locator("#talk > li")
                    before = await lines.count()
                    await page.fill("[name=text]", text)
                    await page.keyboard.press("Enter")
                    await lines.nth(before).wait_for()
                for name in PAGES:
                    await page.goto(f"http://127.0.0.1:{pages.port}/{name}")
                    await page.screenshot(path=folder / f"{name}-{lang}-{size}.png")


def main() -> int:
    """Writes the pictures; prints their names."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for lang in WORDS.languages:
        with tempfile.TemporaryDirectory() as kept:
            asyncio.run(_taken(lang, folder, Path(kept)))
    sys.stdout.writelines(f"{file}\n" for file in sorted(folder.glob("*.png")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
