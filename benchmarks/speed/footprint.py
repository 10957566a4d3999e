"""What a process costs: the cold start of the grammar, and memory after a first answer. Run in a process of its own."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_SIZE = 100
_KIB_PER_MIB = 1024


@dataclass(frozen=True, slots=True)
class Footprint:
    """Milliseconds (of processor time) and MiB of a fresh process."""

    import_ms: float
    """Loading the modules that understand text."""
    grammar_ms: float
    """Loading the rules, once those modules are there."""
    first_read_ms: float
    """The first sentence of all."""
    memory_mib: float
    """Resident, with a home of 100 devices, a broker in memory and one command carried out."""

    def to_dict(self) -> dict[str, float]:
        """JSON-ready."""
        return {name: round(value, 1) for name, value in asdict(self).items()}

    @property
    def cold_ms(self) -> float:
        """From nothing to the first sentence understood."""
        return self.import_ms + self.grammar_ms + self.first_read_ms


async def measure_footprint(rules: Path, times: int = 3) -> Footprint:
    """Starts so many processes, one after another, and asks them; that with the middle cold start counts."""
    found = []
    for _ in range(times):
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            found.append(await asyncio.get_running_loop().run_in_executor(pool, _measure, rules))
    return sorted(found, key=lambda item: item.cold_ms)[times // 2]


def _measure(rules: Path) -> Footprint:
    # Processor time: what else runs on the machine would otherwise decide.
    start = time.process_time()
    from daemon.system.languages import MAIN
    from daemon.understand.grammar import Grammar
    from daemon.understand.names import NameTable
    from daemon.understand.normalize import normalize

    imported = time.process_time()
    grammar = Grammar.load(rules)
    loaded = time.process_time()
    grammar.read(normalize("turn on the lamp", MAIN), NameTable(()))
    read = time.process_time()
    asyncio.run(_answer_once(grammar, rules))
    return Footprint(
        import_ms=(imported - start) * 1000,
        grammar_ms=(loaded - imported) * 1000,
        first_read_ms=(read - loaded) * 1000,
        memory_mib=resident_mib(),
    )


async def _answer_once(grammar: Any, rules: Path) -> None:
    from benchmarks.speed.sample import sample_home
    from daemon.app import open_home
    from daemon.converse.replies import Replies
    from daemon.core.turn import Utterance
    from daemon.home.foreign import load_foreign
    from daemon.simulate.home import SimulatedHome
    from daemon.simulate.memory import MemoryBroker
    from daemon.system.languages import MAIN

    home, broker = load_foreign(sample_home(_SIZE, MAIN)), MemoryBroker()
    async with (
        SimulatedHome(broker.connect(), home.entities, home.simulation),
        open_home(home, broker.connect(), grammar=grammar, replies=Replies.load(rules)) as opened,
    ):
        await opened.pipeline.handle(Utterance("turn on the kitchen ceiling light"))


def resident_mib() -> float:
    """The resident memory of this process; its peak where the system does not tell the present value."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / _KIB_PER_MIB
    except OSError:
        pass
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB_PER_MIB
