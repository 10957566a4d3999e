"""Options that several subcommands share, home files of either format, and how results are printed."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.system.languages import LANGS

if TYPE_CHECKING:
    from daemon.home.config import HomeConfig


_UNFIT = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What JSON may hold but a line should not: some programs break lines there, and half characters do not print."""


def common(*, speech: bool = False) -> argparse.ArgumentParser:
    """A parent parser with `--json`, `--home`, and for spoken or typed commands `--lang`, `--area`, `--speaker`."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_argument("--home", type=Path, metavar="FILE", help="the home file (default: devices.yaml)")
    if speech:
        parser.add_argument("--lang", choices=LANGS, help="the language (default: told from the text)")
        parser.add_argument("--area", help="the area where the microphone is")
        parser.add_argument("--speaker", help="who speaks")
        parser.add_argument("--trace", action="store_true", help="show every stage")
    return parser


def emit(value: dict[str, Any]) -> None:
    """Prints one JSON object on one line."""
    print(dumped(value), flush=True)


def dumped(value: object) -> str:
    """JSON on one line, readable, and fit for any terminal."""
    return _UNFIT.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def printable(text: str) -> str:
    """Text without what would move a cursor, change a colour or hide a word: names and values are not ours."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def show(result: dict[str, Any], *, as_json: bool, trace: bool) -> None:
    """Prints one result, as given by `Result.to_dict`."""
    if as_json:
        emit(result)
        return
    if trace:
        for event in result.get("trace", ()):
            facts = {key: value for key, value in event.items() if key not in ("at_ms", "stage")}
            print(f"  {event['at_ms']:9.2f} ms  {event['stage']:<10} {dumped(facts)}")
        timings = ", ".join(f"{stage} {ms:g}" for stage, ms in result["ms"].items())
        print(f"  {'':>12}  time (ms)  {timings}")
        print(f"  {'':>12}  read by    {result['source'] or 'nobody'}")
    badge = "  [model]" if result["source"] == "model" else ""
    print((printable(result["reply"]) or f"({result['outcome']})") + badge, flush=True)


def load_any(path: Path) -> HomeConfig:
    """Reads `devices.yaml`, or a JSON home as `eval` reads them.

    Raises:
        ConfigError: it is wrong; says where.
    """
    if path.suffix == ".json":
        from daemon.home.foreign import load_foreign

        return load_foreign(path)
    from daemon.home.loader import load_home

    return load_home(path)
