"""What the documentation names is there: files, links, targets of make, commands and their options."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.__main__ import build_parser

ROOT = Path(__file__).resolve().parents[1]
DOCS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "models").glob("*/*.md")),
]
TOPS = {"benchmarks", "daemon", "docs", "models", "rules", "scripts", "systemd", "tests"}
MADE = {"models/train/work", "models/train/.venv"}
"""What `make` makes."""
OTHERS = {"docs/Performance.md"}
"""Pages of other projects."""
EXAMPLE = re.compile(r"^rules/de/")
"""A language that is added in an example."""
LINK = re.compile(r"\]\(([^)#\s]+)")
QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.*<>-]+(/[\w.*<>-]+)+/?")
COMMAND = re.compile(r"python -m (daemon|benchmarks|models\.train)(?:\.(\w+)| (\w+))?([^`\n]*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def paths() -> Iterator[tuple[str, str]]:
    for file in DOCS:
        for quoted in QUOTED.findall(text_of(file)):
            ours = PATH.fullmatch(quoted) and quoted.split("/")[0] in TOPS and quoted not in OTHERS
            if ours and not EXAMPLE.search(quoted) and not any(quoted.startswith(made) for made in MADE):
                yield file.name, quoted


def commands() -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """The page, the package, the command or module, its options."""
    for file in DOCS:
        for package, module, word, rest in COMMAND.findall(text_of(file)):
            yield file.name, package, module or word, tuple(OPTION.findall(rest))


def known_options(package: str, name: str) -> set[str]:
    if package == "daemon":
        return options_of(commands_of(build_parser())[name])
    folder = ROOT / package.replace(".", "/")
    file = folder / f"{name}.py" if (folder / f"{name}.py").exists() else folder / name / "__main__.py"
    return set(re.findall(r'"(--[a-z-]+)"', text_of(file)))


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = [item for item in parser._actions if isinstance(item, argparse._SubParsersAction)]
    return {name: command for item in found for name, command in item.choices.items()}


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    inner = (options_of(command) for command in commands_of(parser).values())
    return set(parser._option_string_actions).union(*inner)


@pytest.mark.parametrize("file", DOCS, ids=lambda file: str(file.relative_to(ROOT)))
def test_links_lead_somewhere(file: Path) -> None:
    links = [link for link in LINK.findall(text_of(file)) if not link.startswith("http")]
    assert [link for link in links if not (file.parent / link).exists()] == []


def test_files_that_are_named_are_there() -> None:
    named = list(paths())
    assert len(named) > 50
    missing = [(page, path) for page, path in named if not any(ROOT.glob(re.sub(r"<\w+>", "*", path).rstrip("/")))]
    assert missing == []


def test_commands_that_are_named_take_the_options_that_are_named() -> None:
    named = [item for item in commands() if item[2]]
    assert len(named) > 30
    wrong = [
        (page, f"{package} {name}", option)
        for page, package, name, options in named
        for option in options
        if option not in known_options(package, name)
    ]
    assert wrong == []


def test_targets_of_make_that_are_named_are_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    named = {target for file in DOCS for target in re.findall(r"`(?:sudo )?make ([a-z-]+)", text_of(file))}
    assert {"run", "train", "models"} <= named
    assert named - targets == set()


def test_every_command_of_the_list_in_the_readme_is_one_and_none_is_left_out() -> None:
    listed = set(re.findall(r"^python -m daemon (\w+)", text_of(ROOT / "README.md"), re.MULTILINE))
    assert listed | {"demo"} == set(commands_of(build_parser()))
