"""`parse`: what the grammar makes of a sentence, without touching any device."""

from __future__ import annotations

import argparse

from daemon.commands.options import common, emit
from daemon.core.values import to_dict
from daemon.system.config import Paths
from daemon.system.languages import LANGS


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        "parse", parents=[common()], help="show how a sentence is understood; nothing is done"
    )
    parser.add_argument("sentences", nargs="+", metavar="TEXT")
    parser.add_argument("--lang", choices=LANGS, help="the language (default: told from the text)")
    parser.add_argument("--explain", action="store_true", help="its parts, what each costs, and what they come to")
    parser.add_argument("--all", action="store_true", help="every reading, not only the best")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """Prints the readings; 1 where a sentence has none."""
    from daemon.commands.options import load_any
    from daemon.home.registry import Registry
    from daemon.resolve.named import named_things
    from daemon.understand.grammar import Grammar
    from daemon.understand.normalize import normalize

    paths = Paths.of(args.home)
    grammar = Grammar.load(paths.rules)
    names = grammar.names(named_things(Registry(load_any(paths.home).entities)))
    code = 0
    for sentence in args.sentences:
        normalized = normalize(sentence, args.lang)
        readings = grammar.read(normalized, names)
        code = code if readings else 1
        if args.explain and not args.json:
            print(*grammar.explain(normalized, names), sep="\n")
        shown = readings if args.all else readings[:1]
        for program in shown:
            emit(to_dict(program))
        if not readings:
            emit({"text": normalized.text, "lang": normalized.lang, "clauses": []})
    return code
