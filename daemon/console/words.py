"""The words of the pages, by language: `rules/<lang>/console.yaml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from daemon.core.errors import ConfigError
from daemon.system.languages import optional
from daemon.system.nodes import Value, read_yaml


class Words:
    """All tables of words, each word by a dotted key: its section and its name."""

    def __init__(self, tables: Mapping[str, Mapping[str, str]]) -> None:
        self._tables = tables

    @classmethod
    def load(cls, rules: Path) -> Words:
        """The tables of a folder of rules. A language without one is spoken, and no page is in it.

        Raises:
            ConfigError: no language has one, or one lacks a word that another one has.
        """
        files = optional(rules, "console.yaml")
        if not files:
            raise ConfigError(rules, None, "", "has no console.yaml", "write one for a language")
        tables = {lang: dict(_flat(read_yaml(file))) for lang, file in files.items()}
        known = {key for table in tables.values() for key in table}
        for lang, table in tables.items():
            if absent := sorted(known - table.keys()):
                raise ConfigError(files[lang], None, absent[0], "is missing", "add the words")
        return cls(tables)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that pages can be read in."""
        return tuple(self._tables)

    def say(self, key: str, lang: str, **places: object) -> str:
        """The words for a key, with its places filled, in this language or the main one.

        What fills them is not ours: it is yet to be escaped.
        """
        return self._table(lang)[key].format_map(places)

    def chosen(self, wished: str | None, accepted: str, otherwise: str) -> str:
        """The language to answer in: the one wished for, else the first that a browser accepts, else this."""
        for lang in (wished or "", *_accepted(accepted)):
            if lang in self._tables:
                return lang
        return otherwise if otherwise in self._tables else next(iter(self._tables))

    def _table(self, lang: str) -> Mapping[str, str]:
        return self._tables[lang] if lang in self._tables else next(iter(self._tables.values()))


def _flat(value: Value, before: str = "") -> Iterator[tuple[str, str]]:
    for name, item in value.mapping().items():
        if isinstance(item.data, dict):
            yield from _flat(item, f"{before}{name}.")
        else:
            yield f"{before}{name}", item.text()


def _accepted(header: str) -> list[str]:
    """The languages of an Accept-Language header, those liked best first, without their regions."""
    found = []
    for item in header[:500].split(","):
        lang, _, quality = item.strip().partition(";")
        try:
            liked = float(quality.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        found.append((-liked, lang.partition("-")[0].casefold()))
    return [lang for liked, lang in sorted(found, key=lambda pair: pair[0]) if liked < 0]
