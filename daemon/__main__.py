"""`python -m daemon`: the command line."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import logging
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from daemon import __version__
from daemon.commands import backup, demo, devices, doctor, evaluate, kept, models, run, text
from daemon.core.errors import ConfigError, HearkenError, UsageError
from daemon.system.config import COMMAND
from daemon.system.worker import at_work

_COMMANDS = (run, text, devices, kept, backup, doctor, models, evaluate, demo)


def build_parser() -> argparse.ArgumentParser:
    """The parser with every subcommand."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Hearken: an offline voice assistant for homes on MQTT.")
    parser.add_argument("--version", action="version", version=f"hearken {__version__}")
    parser.add_argument("-v", "--verbose", action="store_true", help="log more (twice as much as you want to read)")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one subcommand; returns its exit code: 0 ok, 1 it could not be done, 2 bad usage or configuration."""
    args = build_parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show Chinese shows its numbers.
        sys.stdout.reconfigure(errors="backslashreplace")
    # Only the daemon tells what goes on; all others say what went wrong once, at the end.
    level = getattr(args, "log_level", logging.ERROR)
    logging.basicConfig(
        level=logging.DEBUG if args.verbose else level,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    for noisy in ("amqtt", "transitions", "passlib", "asyncio", "faster_whisper"):
        logging.getLogger(noisy).setLevel(logging.ERROR)
    try:
        return int(asyncio.run(args.run(args)))
    except (ConfigError, UsageError) as error:
        for mistake in error.every if isinstance(error, ConfigError) else (error,):
            print(f"hearken: {mistake}", file=sys.stderr)
        return 2
    except HearkenError as error:
        print(f"hearken: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has enough of it (`| head`); Python would complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if args.verbose:
            logging.getLogger(__name__).exception("internal error")
        print(f"hearken: internal error: {type(error).__name__}: {_line(error)}; -v shows where", file=sys.stderr)
        return 1


def script() -> NoReturn:
    """`main`, and the end of the process."""
    code = main()
    if at_work():
        # An engine that still loads, or hangs, would crash while the interpreter takes its libraries down under it.
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


if __name__ == "__main__":
    script()
