"""`demo`: an evening in the simulated home, spoken by the synthesiser, heard, understood, carried out and answered."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.commands.options import emit, show
from daemon.commands.text import answer
from daemon.commands.voice import open_engine
from daemon.core.errors import HearkenError
from daemon.system.config import Paths
from daemon.system.nodes import read_yaml

if TYPE_CHECKING:
    from daemon.hear.audio import Transcriber, Transcript
    from daemon.pipeline import Pipeline
    from daemon.speak.voice import Espeak

SCRIPT = Path(__file__).with_name("evening.yaml")
_SURE = 0.6
"""The gate asks back what was heard with less confidence than this (`daemon.home.config.Thresholds`)."""
_QUIET_S = 0.3
"""Recognisers want so much quiet at both ends of a clip."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser("demo", help="play an evening in the simulated home and show every stage")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep the replies as WAV files")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """Plays the script; 0 whatever the home answered."""
    from daemon.commands.session import session

    script: list[dict[str, Any]] = read_yaml(SCRIPT).plain()
    paths = Paths.of()
    voice = _voice()
    engines: dict[str, Transcriber | None] = {}
    # Whatever broker is configured: nobody's real lamps are played with.
    async with session(paths, simulated=True, audit=False) as house:
        pipeline = house.opened.pipeline
        for number, line in enumerate(script, 1):
            lang, said = line["lang"], line["say"]
            if lang not in engines:
                engines[lang] = await _engine(lang, paths, pipeline)
            heard = await asyncio.to_thread(_hear, voice, engines[lang], said, lang)
            # A made-up voice is harder to hear than a person: what is heard badly is typed, and the evening goes on.
            sure = heard is not None and heard.confidence >= _SURE
            text = heard.text if heard is not None and sure else said
            if not args.json:
                way = "typed" if heard is None else f'{heard.engine}: "{heard.text}", {heard.confidence:.2f}'
                way += "" if sure or heard is None else ", so typed"
                print(f'\n{number:2}. "{said}"  [{way}]  {line["note"]}')
            result = await answer(
                pipeline,
                {
                    "text": text,
                    "lang": lang,
                    "area": line["area"],
                    "satellite": "demo",
                    "heard": heard.confidence if heard is not None and sure else 1.0,
                },
            )
            if args.json:
                emit(result)
            else:
                show(result, as_json=False, trace=True)
            if args.out is not None:
                await asyncio.to_thread(_keep, voice, result, args.out / f"{number:02}.wav")
    return 0


def _voice() -> Espeak:
    from daemon.speak.voice import Espeak

    # The clearest of its voices: pocketsphinx knows people, and understands the plain one seldom.
    return Espeak(variant="f2")


async def _engine(lang: str, paths: Paths, pipeline: Pipeline) -> Transcriber | None:
    """An engine for this language, or None where there is none: then the line is typed."""
    try:
        return await open_engine(lang, paths, pipeline)
    except HearkenError:
        return None


def _hear(voice: Espeak, engine: Transcriber | None, said: str, lang: str) -> Transcript | None:
    import numpy as np

    from daemon.hear.audio import SAMPLE_RATE, resample

    if engine is None:
        return None
    speech = voice.synthesize(said, lang)
    quiet = np.zeros(round(_QUIET_S * SAMPLE_RATE), np.float32)
    samples = np.concatenate([quiet, resample(speech.samples, speech.rate), quiet])
    return engine.transcribe(samples, lang)


def _keep(voice: Espeak, result: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if result["reply"]:
        path.write_bytes(voice.synthesize(result["reply"], result["lang"]).to_wav())
