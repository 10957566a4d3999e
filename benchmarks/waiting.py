"""Orders that are to wait, orders that are only told of, and orders that are meant now: what is done at once.

    python -m benchmarks.waiting

`waiting.txt` has them, `LANG|WANT|SENTENCE` a line, written for this home by somebody who knew none of the models:
nothing is to be done at once of what is to `wait`, nor where `none` is asked for; what is meant `now` is to be done.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

from daemon.evaluate.cases import Case
from daemon.evaluate.house import open_house_with_model

HERE: Final = Path(__file__).resolve().parent
_WANTS: Final = ("wait", "none", "now")


async def _played() -> Counter[tuple[str, str, str]]:
    """How many there are by language, what is wanted, and what became of them; prints each that went wrong."""
    found: Counter[tuple[str, str, str]] = Counter()
    async with open_house_with_model(HERE / "waiting.home.yaml") as house:
        for line in (HERE / "waiting.txt").read_text(encoding="utf-8").splitlines():
            lang, want, text = line.split("|")
            result, _ = await house.play(Case("waiting", lang, text, None, None, area="Lounge"))
            came = _came(result)
            found[lang, want, came] += 1
            if (came == "done") is not (want == "now"):
                print(f"{lang} {want:4} {came:8} {text}  ->  {result['reply']}")
    return found


def _came(result: dict[str, Any]) -> str:
    """What became of a sentence: `done` at once, `kept` for later, or how else it ended."""
    if any(command["action"] != "query" for command in result["commands"]):
        return "done"
    return "kept" if result.get("scheduled") else str(result["outcome"])


def main() -> int:
    """Prints the table."""
    found = asyncio.run(_played())
    comes = sorted({came for _, _, came in found})
    print("\n| lang | want | " + " | ".join(comes) + " |\n" + "| --- " * (len(comes) + 2) + "|")
    for lang in sorted({lang for lang, _, _ in found}):
        for want in _WANTS:
            print(f"| {lang} | {want} | " + " | ".join(str(found[lang, want, came]) for came in comes) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
