"""The runner: order, isolation of failures, homes, processes; with a house that needs no pipeline."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from daemon.core.errors import ConfigError
from daemon.evaluate.cases import Case, Expectation, ExpectedCommand
from daemon.evaluate.runner import home_file, play_cases

LAMP = ExpectedCommand("turn_on", ("light.lamp",))


class Parrot:
    """Turns on whatever is said; a group has two members; "boom" raises."""

    def __init__(self, home: Path | None) -> None:
        self.home = home

    def expand(self, entity: str) -> tuple[str, ...]:
        return ("light.lamp", "light.hall") if entity == "light.all" else (entity,)

    async def play(self, case: Case) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
        if case.text == "boom":
            raise RuntimeError("out of seed")
        where = self.home.stem if self.home else None
        command = {"action": "turn_on", "targets": [case.text]}
        return {"outcome": "execute", "commands": [command], "ir": None, "home": where}, ({"stage": "grammar"},)


@asynccontextmanager
async def open_parrot(home: Path | None) -> AsyncIterator[Parrot]:
    if home is not None and home.name == "broken.yaml":
        raise ConfigError(home, 1, "", "is empty", "write a home")
    yield Parrot(home)


def case(name: str, text: str, home: str | None = "flat") -> Case:
    return Case(
        id=name,
        lang="en",
        text=text,
        home=home,
        expect=Expectation("execute", frozenset({"execute"}), (LAMP,)),
    )


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    (tmp_path / "flat.json").write_text("{}")
    (tmp_path / "house.yaml").write_text("{}")
    return tmp_path


@pytest.mark.parametrize("jobs", [1, 2])
async def test_results_come_in_the_order_of_the_cases(homes: Path, jobs: int) -> None:
    cases = [case(f"c{number}", "light.lamp", "flat" if number % 3 else "house") for number in range(120)]
    done: list[int] = []
    scored = await play_cases(cases, homes, open_parrot, jobs=jobs, progress=done.append)
    assert [item.line["id"] for item in scored] == [item.id for item in cases]
    assert [item.line["home"] for item in scored] == [item.home for item in cases]
    assert all(item.verdict is not None and item.verdict.exact for item in scored)
    assert scored[0].trace == ({"stage": "grammar"},)
    assert done == sorted(done)
    assert done[-1] == 120


async def test_a_case_that_raises_is_written_down_and_the_rest_goes_on(homes: Path) -> None:
    bad, good = await play_cases([case("a", "boom"), case("b", "light.lamp")], homes, open_parrot)
    assert bad.line["error"] == "RuntimeError: out of seed"
    assert bad.verdict is not None
    assert bad.verdict.fault == "error"
    assert not bad.verdict.exact
    assert good.verdict is not None
    assert good.verdict.exact


async def test_groups_are_those_of_the_home(homes: Path) -> None:
    (scored,) = await play_cases([case("a", "light.all")], homes, open_parrot)
    assert scored.verdict is not None
    assert scored.verdict.wrong_act


async def test_a_case_without_a_home_is_played_without_one(tmp_path: Path) -> None:
    (scored,) = await play_cases([case("a", "x", home=None)], tmp_path, open_parrot)
    assert scored.line["home"] is None


@pytest.mark.parametrize("jobs", [1, 2])
async def test_a_broken_home_is_one_error(homes: Path, jobs: int) -> None:
    (homes / "broken.yaml").write_text("")
    with pytest.raises(ConfigError, match="is empty") as caught:
        await play_cases([case("a", "x"), case("b", "x", "broken")], homes, open_parrot, jobs=jobs)
    assert caught.value.line == 1


@pytest.mark.parametrize("name", ["nowhere", "../flat", "", "/etc/passwd", ".flat"])
def test_a_home_that_is_not_there(homes: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="no such home"):
        home_file(homes, name)


def test_both_formats_are_found(homes: Path) -> None:
    assert home_file(homes, "flat").name == "flat.json"
    assert home_file(homes, "house").name == "house.yaml"
