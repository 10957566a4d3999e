"""All measures of `python -m daemon bench`, one after the other, each told as soon as it is known."""

from __future__ import annotations

from benchmarks.speed.crowd import time_crowd, time_flood
from benchmarks.speed.footprint import Footprint, measure_footprint
from benchmarks.speed.measures import Timing, time_passing, time_publishing, time_resolving, time_understanding
from daemon.commands.options import emit
from daemon.converse.replies import Replies
from daemon.system.config import ROOT, Paths
from daemon.understand.grammar import Grammar

_WIDTH = 80
"""Columns for what was timed."""


async def measure(rounds: int, *, as_json: bool) -> None:
    """Measures and prints; each thing is timed so often."""
    rules = Paths.of().rules
    _print_footprint(await measure_footprint(rules), as_json=as_json)
    grammar, replies = Grammar.load(rules), Replies.load(rules)
    for timing in time_understanding(grammar, ROOT / "benchmarks", rounds):
        _print_timing(timing, as_json=as_json)
    for timing in time_resolving(grammar, rounds):
        _print_timing(timing, as_json=as_json)
    for timing in time_passing(grammar, ROOT / "benchmarks"):
        _print_timing(timing, as_json=as_json)
    for measured in (time_publishing, time_crowd, time_flood):
        async for timing in measured(grammar, replies, rounds):
            _print_timing(timing, as_json=as_json)


def _print_footprint(footprint: Footprint, *, as_json: bool) -> None:
    if as_json:
        emit(footprint.to_dict())
        return
    print(
        f"cold start of the grammar: {footprint.cold_ms:.0f} ms, of which\n"
        f"  to import: {footprint.import_ms:.0f} ms\n"
        f"  to load the rules: {footprint.grammar_ms:.0f} ms\n"
        f"  for the first sentence: {footprint.first_read_ms:.1f} ms\n"
        f"memory: {footprint.memory_mib:.0f} MiB resident with 100 devices after one command\n\n"
        f"{'milliseconds':{_WIDTH}}     p50     p95     p99",
        flush=True,
    )


def _print_timing(timing: Timing, *, as_json: bool) -> None:
    if as_json:
        emit(timing.to_dict())
        return
    ms = "".join(f"{value:8.3f}" for value in (timing.ms.p50, timing.ms.p95, timing.ms.p99))
    ratio = [f"{timing.ratio:.1f} times as long"] if timing.ratio is not None else []
    print(f"{timing.what:{_WIDTH}}{ms}  {', '.join([*ratio, *filter(None, [timing.note])])}".rstrip(), flush=True)
