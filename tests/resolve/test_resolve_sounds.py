"""What Chinese costs a home in which nobody speaks it: nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOME = """
languages: [{lang}]
areas: {{study: {{name: {area}}}}}
devices:
  lamp: {{name: {name}, area: study, type: lamp, capabilities: [on_off]}}
  heater: {{name: {other}, area: study, type: heater, capabilities: [on_off]}}
"""
HEARS = """
import asyncio, sys
from pathlib import Path
from daemon.app import open_home
from daemon.converse.replies import Replies
from daemon.home.loader import load_home
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.core.turn import Utterance
from daemon.understand.grammar import Grammar

async def main(file, said):
    home, rules, broker = load_home(Path(file)), Path("rules"), MemoryBroker()
    async with (
        SimulatedHome(broker.connect(), home.entities, home.simulation),
        open_home(home, broker.connect(), grammar=Grammar.load(rules), replies=Replies.load(rules)) as house,
    ):
        house.prepare()
        result = await house.pipeline.handle(Utterance(said))
    print(result.outcome, "lamp" in str(result.trace), "pypinyin" in sys.modules)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("words", "said", "loaded"),
    [
        ({"lang": "en", "area": "Study", "name": "Desk lamp", "other": "Fan heater"}, "turn on the task lamp", False),
        ({"lang": "zh", "area": "书房", "name": "书桌台灯", "other": "暖风机"}, "打开书捉台登", True),
    ],
)
def test_pinyin_is_loaded_only_where_somebody_speaks_chinese(
    words: dict[str, str], said: str, tmp_path: Path, *, loaded: bool
) -> None:
    file = tmp_path / "home.yaml"
    file.write_text(HOME.format(**words), encoding="utf-8")
    run = [sys.executable, "-c", HEARS, str(file), said]
    out = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT, timeout=120)
    assert out.stdout.split()[1:] == ["True", str(loaded)], out.stdout
