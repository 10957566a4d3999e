"""Which module may import which: the layers of the daemon, the owners of the engines, and what is loaded lazily."""

import ast
import dataclasses
import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from daemon.core.messages import Message
from daemon.dialogue.dialogue import Dialogue

DAEMON = Path(__file__).resolve().parent.parent / "daemon"

# The packages from the ground up, each with those that it may import. No two import each other, in either direction.
MAY_IMPORT: dict[str, set[str]] = {
    # The frozen values that cross stages, their vocabulary, errors and the trace.
    "core": set(),
    "system": {"core"},
    "models": {"core", "system"},
    "speak": {"core", "models", "system"},
    # What there is. It knows no language, and nothing of how devices are reached.
    "home": {"core", "models", "system"},
    # Language knows no devices, no broker and no sound.
    "understand": {"core", "system"},
    "mqtt": {"core", "home", "system"},
    "lists": {"core", "system"},
    # The search space of a recogniser is made of the grammar and of this home's names.
    "hear": {"core", "models", "system", "understand", "home"},
    # Where is heard and spoken, in this house and for others: sound in, a request out, a reply in, sound out.
    "satellites": {"core", "hear", "home", "speak", "system"},
    # A model's draft becomes a program by the grammar's own reading of its words.
    "compiler": {"core", "models", "system", "understand"},
    # What a name means in this home, and which reading of an utterance this home can do.
    "resolve": {"core", "home", "models", "system", "understand"},
    "simulate": {"core", "home", "mqtt", "system"},
    "act": {"core", "home", "mqtt", "system"},
    "memory": {"core", "home", "resolve", "system"},
    "discovery": {"core", "act", "home", "mqtt", "system"},
    "schedule": {"core", "act", "home", "lists", "resolve", "system"},
    "dialogue": {"core", "act", "compiler", "home", "memory", "resolve", "understand"},
    "decide": {"core", "act", "dialogue", "home", "lists", "memory", "resolve", "schedule"},
    # The only place with sentences: nothing below it makes any.
    "converse": {"core", "act", "home", "memory", "schedule", "system"},
    # The root.
    "pipeline": {
        "core",
        "act",
        "converse",
        "decide",
        "dialogue",
        "home",
        "memory",
        "resolve",
        "schedule",
        "understand",
    },
    "app": {
        *("core", "act", "compiler", "converse", "decide", "dialogue", "discovery", "home", "lists", "memory", "mqtt"),
        *("pipeline", "resolve", "schedule", "understand"),
    },
    "evaluate": {
        *("core", "act", "app", "compiler", "converse", "discovery", "home", "models", "mqtt", "pipeline", "resolve"),
        *("simulate", "system", "understand"),
    },
    # The pages in a browser: they show what the home at work holds, and make no replies.
    "console": {
        *("core", "act", "app", "discovery", "home", "lists", "memory", "models", "pipeline", "schedule", "system"),
        *("converse", "resolve", "understand"),
    },
    # The entry points; nobody imports them but each other.
    "commands": {
        *(
            "core",
            "act",
            "app",
            "compiler",
            "console",
            "converse",
            "discovery",
            "evaluate",
            "hear",
            "home",
            "lists",
            "memory",
            "models",
        ),
        *("mqtt", "pipeline", "resolve", "satellites", "schedule", "simulate", "speak", "system", "understand"),
    },
    "__main__": {"core", "commands", "system"},
}

ROOT = {"__init__", "__main__", "app", "pipeline"}
"""The modules that lie right under daemon/; every other one lies in the package of its stage."""

# Who may import an engine at all. The name covers what lies under it: "paho" also paho.mqtt.client.
OWNERS: dict[str, set[str]] = {
    "paho": {"mqtt"},
    "prometheus_client": {"console"},
    "starlette": {"console"},
    "uvicorn": {"console"},
    "aioesphomeapi": {"satellites"},
    "amqtt": {"simulate"},
    "av": {"hear", "speak"},
    "benchmarks": {"commands"},
    "ctranslate2": {"hear"},
    "espeakng_loader": {"speak"},
    "faster_whisper": {"hear"},
    "llama_cpp": {"compiler"},
    "onnxruntime": {"models"},
    "pe": {"understand"},
    "pocketsphinx": {"hear"},
    "pymicro_wakeword": {"hear"},
    "sounddevice": {"hear", "speak"},
    "tokenizers": {"resolve", "compiler"},
    "wyoming": {"satellites"},
    "zeroconf": {"satellites"},
}

# Engines that are slow to load, or not there on every machine: imported inside the function that first needs them.
LAZY = {
    "aioesphomeapi",
    "av",
    "benchmarks",
    "ctranslate2",
    "espeakng_loader",
    "faster_whisper",
    "llama_cpp",
    "onnxruntime",
    "pocketsphinx",
    "pymicro_wakeword",
    "sounddevice",
    "tokenizers",
    "wyoming",
    "zeroconf",
}


@dataclass(frozen=True)
class Import:
    """One import of `target` by `module`, both with all their dots."""

    module: str
    target: str
    line: int
    at_load: bool
    """Whether it is carried out when the module is loaded: not in a function, not under TYPE_CHECKING."""


def broken_rules(sources: Mapping[str, str]) -> list[str]:
    """What the modules (dotted name to source) do against the tables above, one line each."""
    imports = [found for module, source in sources.items() for found in _imports(module, source, set(sources))]
    return [*_against_layers(imports), *_against_owners(imports), *_in_circles(imports)]


def _against_layers(imports: list[Import]) -> Iterator[str]:
    for found in imports:
        part, target = _part(found.module), _part(found.target)
        if not target or part == target:
            continue
        if part not in MAY_IMPORT:
            yield f"{found.module}: say in MAY_IMPORT what daemon.{part} may import"
        elif target not in MAY_IMPORT[part]:
            yield f"{found.module}:{found.line}: daemon.{part} may not import {found.target}"


def _against_owners(imports: list[Import]) -> Iterator[str]:
    for found in imports:
        engine = found.target.split(".")[0]
        if engine in OWNERS and _part(found.module) not in OWNERS[engine]:
            yield f"{found.module}:{found.line}: only {sorted(OWNERS[engine])} may import {engine}"
        if engine in LAZY and found.at_load:
            yield f"{found.module}:{found.line}: {engine} must be imported inside a function"


def _in_circles(imports: list[Import]) -> Iterator[str]:
    graph: dict[str, set[str]] = {}
    for found in imports:
        part, target = _part(found.module), _part(found.target)
        if target and part != target:
            graph.setdefault(part, set()).add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield f"circle of imports: {' <- '.join(error.args[1])}"


def _part(name: str) -> str:
    """`daemon.home.registry` is of the part `home`; what is not of the daemon is of none."""
    parts = name.split(".")
    return parts[1] if parts[0] == "daemon" and len(parts) > 1 else ""


def _imports(module: str, source: str, modules: set[str]) -> Iterator[Import]:
    def walk(node: ast.AST, *, at_load: bool) -> Iterator[Import]:
        for target in _targets(node, module, modules):
            yield Import(module, target, getattr(node, "lineno", 0), at_load)
        if isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
            for statement in node.body:
                yield from walk(statement, at_load=False)
            for statement in node.orelse:
                yield from walk(statement, at_load=at_load)
            return
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from walk(child, at_load=at_load and not later)

    yield from walk(ast.parse(source), at_load=True)


def _targets(node: ast.AST, module: str, modules: set[str]) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [name.name for name in names]
        case ast.ImportFrom(module=origin, names=names, level=level):
            # Relative imports are banned by ruff (TID252), but a checker must not be blind to them.
            package = module if any(name.startswith(f"{module}.") for name in modules) else module.rpartition(".")[0]
            above = package.split(".")[: len(package.split(".")) - level + 1] if level else []
            base = ".".join([*above, *([origin] if origin else [])])
            # `from daemon import pipeline` means the module, `from daemon.core.ir import Program` a name in it.
            if base != "daemon":
                return [base]
            return [f"daemon.{name.name}" for name in names if name.name != "__version__"]
        case ast.Call(
            func=ast.Name(id="__import__") | ast.Attribute(attr="import_module") | ast.Name(id="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return [name]
    return []


def _sources() -> dict[str, str]:
    def name(path: Path) -> str:
        return ".".join(path.relative_to(DAEMON.parent).with_suffix("").parts).removesuffix(".__init__")

    return {name(path): path.read_text(encoding="utf-8") for path in sorted(DAEMON.rglob("*.py"))}


def test_the_daemon_keeps_the_rules() -> None:
    sources = _sources()
    assert "daemon.core.ir" in sources
    assert "\n".join(broken_rules(sources)) == ""


def test_only_the_whole_way_lies_in_the_root() -> None:
    assert {path.stem for path in DAEMON.glob("*.py")} == ROOT
    assert len((DAEMON / "pipeline.py").read_text(encoding="utf-8").splitlines()) <= 150


MOST_LINES, MOST_IN_A_FUNCTION = 320, 60
MOST_FILES, MOST_LINES_OF_ALL = 359, 69_154
"""Of all of daemon/: lowered whenever it has shrunk; raised only for what could not be done before."""


def _lengths() -> Iterator[tuple[str, int, int]]:
    """Each module and each function: its name, its lines, and how many it may have."""
    for path in sorted(DAEMON.rglob("*.py")):
        source, name = path.read_text(encoding="utf-8"), path.relative_to(DAEMON).as_posix()
        yield name, len(source.splitlines()), MOST_LINES
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{name}:{node.name}", (node.end_lineno or 0) - node.lineno + 1, MOST_IN_A_FUNCTION


def test_no_module_and_no_function_is_too_long() -> None:
    assert [item for item in _lengths() if item[1] > item[2]] == []


def test_the_daemon_only_shrinks() -> None:
    modules = list(DAEMON.rglob("*.py"))
    assert len(modules) <= MOST_FILES
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules) <= MOST_LINES_OF_ALL


def test_only_converse_makes_replies() -> None:
    users = {
        _part(name)
        for name, source in _sources().items()
        if any(found.target == "daemon.converse.replies" for found in _imports(name, source, {name}))
    }
    assert users <= {"converse", "app", "commands", "evaluate"}, "the others only load the tables, or hand them on"


def test_every_message_has_words() -> None:
    from daemon.converse.words import Speech

    for name in ("core.messages", "act.answers", "memory.learnt", "schedule.entries"):
        importlib.import_module(f"daemon.{name}")
    assert {item.__name__ for item in Speech.RENDERERS} == {item.__name__ for item in Message.__subclasses__()}


def test_decisions_are_made_without_io() -> None:
    for name, source in _sources().items():
        if not name.startswith("daemon.decide."):
            continue
        tree = ast.parse(source)
        waits = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef | ast.Await)]
        assert not waits, f"{name} waits for something"
        doors = {"daemon.act.reader", "daemon.act.executor", "daemon.act.audit"}
        assert not doors & {found.target for found in _imports(name, source, {name})}, f"{name} reaches devices"


def test_only_a_dialogue_sets_its_own_fields() -> None:
    fields = {item.name for item in dataclasses.fields(Dialogue)}
    for name, source in _sources().items():
        for node in ast.walk(ast.parse(source)):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            for target in targets:
                if isinstance(target, ast.Attribute) and ast.unparse(target.value).endswith("dialogue"):
                    assert target.attr not in fields, f"{name}:{target.lineno} sets {ast.unparse(target)}"


def test_the_table_itself_has_no_circle() -> None:
    TopologicalSorter(MAY_IMPORT).prepare()


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("daemon.understand.bad", "from daemon.home.registry import Registry", "may not import daemon.home.registry"),
        ("daemon.understand.bad", "import daemon.mqtt.client", "may not import daemon.mqtt.client"),
        ("daemon.understand.bad", "from ..act import plan", "may not import daemon.act"),
        ("daemon.understand.bad", "def f():\n    from daemon.hear import ears", "may not import daemon.hear"),
        ("daemon.act.bad", "from daemon import pipeline", "may not import daemon.pipeline"),
        ("daemon.act.bad", "if TYPE_CHECKING:\n    from daemon.pipeline import Pipeline", "may not import"),
        ("daemon.act.bad", "import importlib\nimportlib.import_module('daemon.pipeline')", "may not import"),
        ("daemon.new.bad", "from daemon.core.ir import Program", "say in MAY_IMPORT what daemon.new may import"),
        ("daemon.act.bad", "import paho.mqtt.client as mqtt", "only ['mqtt'] may import paho"),
        ("daemon.simulate.bad", "from paho.mqtt import client", "only ['mqtt'] may import paho"),
        ("daemon.mqtt.bad", "from amqtt.broker import Broker", "only ['simulate'] may import amqtt"),
        ("daemon.hear.bad", "import faster_whisper", "faster_whisper must be imported inside a function"),
        ("daemon.hear.bad", "try:\n    import sounddevice\nexcept OSError:\n    pass", "must be imported inside"),
        ("daemon.hear.bad", "class A:\n    import pocketsphinx", "must be imported inside"),
        ("daemon.hear.bad", "if TYPE_CHECKING:\n    pass\nelse:\n    import av", "must be imported inside"),
    ],
)
def test_a_bad_module_is_caught(module: str, source: str, complaint: str) -> None:
    complaints = broken_rules({module: source})
    assert len(complaints) == 1
    assert complaint in complaints[0]


def test_a_circle_is_caught() -> None:
    sources = {"daemon.home.a": "import daemon.act.b", "daemon.act.b": "import daemon.home.a"}
    assert any(complaint.startswith("circle of imports:") for complaint in broken_rules(sources))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("daemon.hear.good", "def load():\n    from faster_whisper import WhisperModel\n    return WhisperModel"),
        ("daemon.hear.good", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import sounddevice"),
        (
            "daemon.mqtt.good",
            "import paho.mqtt\nfrom daemon.mqtt.bus import Bus\nfrom daemon.core.errors import BrokerError",
        ),
        ("daemon.commands.good", "from daemon import pipeline, __version__\nimport daemon.simulate.home"),
        ("daemon.act.good", "import json\nfrom . import plan"),
    ],
)
def test_a_good_module_is_left_alone(module: str, source: str) -> None:
    assert broken_rules({module: source}) == []
