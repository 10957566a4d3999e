"""What announces itself nearby, and the lines of a home file that would make it a satellite. Nobody is connected to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from daemon.commands.options import emit, printable
from daemon.commands.written import as_string, free, slug
from daemon.home.config import HomeConfig
from daemon.satellites.nearby import Nearby

_CALLED = {"wyoming": "Wyoming", "esphome": "ESPHome"}


def show_nearby(found: Sequence[Nearby], home: HomeConfig, *, as_json: bool) -> None:
    """Prints what was found; what the home file lacks as the lines to put there."""
    if as_json:
        for item in found:
            emit({"protocol": item.protocol, "name": item.name, "host": item.server.host, "port": item.server.port,
                  "known": item.known(home)})  # fmt: skip
        return
    for line in pasted(found, home):
        print(printable(line))


def pasted(found: Sequence[Nearby], home: HomeConfig) -> Iterator[str]:
    """The lines for the home file, to be confirmed by whoever puts them there."""
    ids, numbers = set(home.satellites), Counter[str]()
    known = [item for item in found if item.known(home)]
    new = [item for item in found if not item.known(home)]
    yield f"# {len(found)} announce themselves on this network; the home file has {len(known)} of them."
    if not new:
        return
    yield "# Put these into its `satellites:` section, less what is not yours or no satellite; say where each stands."
    yield "satellites:"
    for item in new:
        name = free(slug(item.name), "", ids, numbers)
        yield f"  {name}:  # {_CALLED[item.protocol]}: {item.name}"
        yield f"    {item.protocol}: {as_string(str(item.server))}"
        if item.encrypted:
            yield f"    key: {{file: {name}.key}}  # its encryption key, in a file beside this one"
        yield "    # area: the room that it stands in"
