"""`listen`: spoken commands from sound files, through end-pointing and a speech engine, all the way."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from daemon.commands.options import common, show
from daemon.commands.text import answer, exit_code, request
from daemon.config import Paths


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser("listen", parents=[common(speech=True)], help="spoken commands from sound files")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="wav, flac, mp3, ogg at any rate")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """Plays each file to the pipeline; 1 where something could not be heard or done."""
    from daemon.commands.session import session
    from daemon.hear.audio import load
    from daemon.hear.ears import Ears
    from daemon.hear.engines import choose
    from daemon.hear.listener import Listener
    from daemon.hear.microphone import Recorded
    from daemon.hear.vad import SileroVad

    paths = Paths.of(args.home)
    # Every file is read before anything is done: a bad one must not leave half of the commands carried out.
    clips = [(file, await asyncio.to_thread(load, file)) for file in args.files]
    results: list[dict[str, Any]] = []
    async with session(paths) as house:
        pipeline = house.pipeline
        lang = args.lang or pipeline.languages[0]
        engine = await asyncio.to_thread(choose, lang, paths.models, paths.rules)
        await asyncio.to_thread(engine.prepare, pipeline.spoken_names(lang))
        for file, samples in clips:
            listener = Listener(SileroVad())
            source = Recorded(samples)
            ears = Ears(source=source, listener=listener, transcriber=engine, lang=lang, incomplete=pipeline.incomplete)
            found = [heard async for heard in ears.utterances()]
            for heard in found or (None,):
                text = heard.transcript.text if heard is not None else ""
                sure = heard.transcript.confidence if heard is not None else 0.0
                asked = request(args, text, heard=sure, satellite="file")
                result = await answer(pipeline, {**asked, "lang": lang})
                result |= {
                    "file": str(file),
                    "heard": {"text": text, "confidence": round(sure, 3), "engine": engine.name},
                }
                if heard is not None:
                    result["ms"]["hear"] = round(heard.ms, 3)
                if not args.json:
                    print(f'{file.name}: heard "{text}" ({sure:.2f}, {engine.name})')
                show(result, as_json=args.json, trace=args.trace)
                results.append(result)
    return exit_code(results)
