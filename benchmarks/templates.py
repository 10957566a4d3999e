"""Templates of devices, attacked: how long the event loop is kept by any of them, and whether others still get through.

    python -m benchmarks.templates [--attacks 200] [--seed 1] [--json]

Random templates that would take hours or all memory are rendered among ordinary ones, which must all come out right.
The loop is measured by the processor time of its own thread between two of its turns, so that what else runs on the
machine does not decide. It exits with 1 where a turn takes more than 50 ms, an ordinary template came out wrong, an
attack is still tried, or the reading of one raised something.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final

from daemon.evaluate.summary import Quantiles
from daemon.mqtt.dialects.template_sandbox import MAX_SOURCE
from daemon.mqtt.dialects.template_workshop import Workshop
from daemon.mqtt.dialects.templates import Templates, asked, parsed

LIMIT_MS: Final = 50.0
_INLINE: Final = 2_048
"""Bytes of an announcement that is read on the loop."""
_ORDINARY: Final = (
    ("a path", "{{ value_json.POWER }}", '{"POWER": "ON"}', "ON"),
    ("simple", "{{ (value_json.b * 99 / 255) | round | int }}", '{"b": 255}', "99"),
    ("in the process", "{{ value | regex_replace('[^0-9.]', '') }}", "21.5 C", "21.5"),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of a run. Times are milliseconds of processor time but for `first_ms` and `us`, which are as passed."""

    attacks: int
    off: int
    """Attacks that needed too much, and are not rendered again; the others failed or said nothing at once."""
    tried_again: int
    wrong: int
    """Ordinary templates that came out wrong among the attacks."""
    raised: int
    """Templates, up to the longest that is taken, of which the reading raised something."""
    turn_ms: float
    """The longest turn of the loop while attacks were rendered."""
    read_ms: float
    """The longest time in which an announcement's template of 2 KB was read."""
    first_ms: float
    """Until the first template came back from the process, its start included."""
    us: dict[str, Quantiles]
    """An ordinary template, microseconds, with nothing else to do."""
    process_mib: float
    attacked_mib: float
    """The same, after the attacks."""


def attack(dice: random.Random) -> str:
    """A template that means no good."""
    letters = "".join(dice.choices("ab", k=2))
    pattern = dice.choice(
        [
            f"({letters[0]}|{letters[0] * 2})" * dice.randrange(24, 34) + "$",
            rf"(\\w{dice.choice('*+')}){dice.choice('*+')}{dice.choice('-!x')}",
            f"({letters[0]}+)+[^{letters[0]}]",
            ".*" * dice.randrange(6, 12) + "!",
        ]
    )
    many, huge = 10 ** dice.randrange(5, 9), 10 ** dice.randrange(9, 12)
    return dice.choice(
        [
            f"{{{{ value | regex_{dice.choice(['search', 'match', 'findall'])}('{pattern}') }}}}",
            f"{{{{ [value] | select('search', '{pattern}') | list }}}}",
            f"{{% for i in range({many}) %}}{{{{ (value{'|list' * dice.randrange(5, 30)})[999] }}}}{{% endfor %}}",
            f"{{% for i in range({many}) %}}" * 3 + "{% endfor %}" * 3,
            f"{{{{ value * {huge} }}}}",
            f"{{{{ range({huge}) | {dice.choice(['list', 'sum', 'join'])} }}}}",
            f"{{{{ '%{huge}d' % 1 }}}}",
            f"{{{{ '{{:{huge}d}}'.format(1) }}}}",
            f"{{{{ {dice.randrange(7, 99)} ** ({dice.randrange(7, 99)} ** {dice.randrange(7, 99)}) }}}}",
            "{% set a = [value] %}" + "{% set a = a + a %}" * dice.randrange(30, 99) + "{{ a }}",
            f"{{{{ (value * 9999).replace('', value * {many}) }}}}",
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "{{ " + "(" * dice.randrange(900, 2000) + "1",
        ]
    )


def tangle(dice: random.Random, length: int = _INLINE) -> str:
    """A template of so many characters that takes long to be read, or goes deep."""
    if dice.random() < 0.2:  # noqa: PLR2004 - the rest is in a row
        before, after = dice.choice(
            [("(", ")"), ("[", "]"), ("not ", ""), ("-", ""), ("{1:", "}"), ("1 if 1 else ", "")]
        )
        many = (length - 7) // len(before + after)
        return "{{ " + before * many + "1" + after * many + " }}"
    piece = dice.choice(
        ["|int", "==1", "+1", "~1", ".a", "[0]", "[1,1]", ",1", "*1", " or 1", " if 1", "|d(1)", "()", " is odd", "**1"]
    )
    body = piece * ((length - 9) // len(piece))
    return "{{ [1" + body + "] }}"


class Loop:
    """The longest turn of the loop."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def watch(self) -> None:
        """Runs until it is cancelled."""
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.0005)
            self.longest = max(self.longest, time.thread_time() - before)


async def campaign(attacks: int, seed: int) -> Figures:
    """Attacks, with ordinary templates between them."""
    dice = random.Random(seed)
    workshop = Workshop()
    templates = Templates(workshop)

    async def value(source: str, text: str) -> object:
        content = parsed(text.encode())
        assert content is not None
        return await asked(lambda: templates.value(source, *content))

    begun = time.perf_counter()
    await value(*_ORDINARY[-1][1:3])
    first = time.perf_counter() - begun
    us = {name: await _timed(value, source, text) for name, source, text, _ in _ORDINARY}
    memory = _resident_mib(workshop.pid)
    sources = [attack(dice) for _ in range(attacks)]
    read = [_cpu(partial(templates.problem, source)) for source in (*sources, *(tangle(dice) for _ in sources))]
    longer = [tangle(dice, dice.randrange(_INLINE, MAX_SOURCE + 1)) for _ in sources]
    raised = sum(_raises(partial(templates.problem, source)) for source in longer)
    wrong = 0
    loop = Loop()
    watching = asyncio.create_task(loop.watch())
    for number in range(0, attacks, 10):
        some = sources[number : number + 10]
        tasks = [asyncio.create_task(value(source, "a" * dice.randrange(20, 2000))) for source in some]
        for count, (_, source, text, right) in enumerate(_ORDINARY * 3):
            said = f"{text}{' ' * count}"
            wrong += str(await value(source, said)) != right
        await asyncio.gather(*tasks)
    watching.cancel()
    before = set(templates.off)
    tried_again = sum([source in before and await value(source, "a") is not None for source in sources])
    attacked = _resident_mib(workshop.pid)
    await templates.stop()
    return Figures(
        attacks,
        len(templates.off),
        tried_again,
        wrong,
        raised,
        round(loop.longest * 1000, 2),
        round(max(read, default=0.0) * 1000, 2),
        round(first * 1000, 1),
        us,
        memory,
        attacked,
    )


async def _timed(value: Callable[[str, str], Awaitable[object]], source: str, text: str) -> Quantiles:
    took = []
    for number in range(300):
        begun = time.perf_counter()
        await value(source, text + " " * number)
        took.append(round((time.perf_counter() - begun) * 1e6, 1))
    return Quantiles.of(took[10:])


def _cpu(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return time.thread_time() - begun


def _raises(work: Callable[[], object]) -> bool:
    try:
        work()
    except Exception:  # noqa: BLE001 - that is what is counted
        return True
    return False


def _resident_mib(pid: int | None) -> float:
    """Of the process and its child, what they share counted once."""
    if pid is None:
        return 0.0
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    lines = [
        line
        for one in (str(pid), *children)
        for line in Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii").splitlines()
    ]
    return round(sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024, 1)


def main() -> int:
    """1 where the loop was kept too long, or something came out wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.templates", description=__doc__)
    parser.add_argument("--attacks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = asyncio.run(campaign(args.attacks, args.seed))
    if args.json:
        print(json.dumps(asdict(found)))
    else:
        for name, figure in asdict(found).items():
            print(f"{name:<12} {figure}")
    bad = found.wrong or found.tried_again or found.raised or max(found.turn_ms, found.read_ms) > LIMIT_MS
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
