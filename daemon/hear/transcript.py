"""What a speech engine is told of the home, and what it hands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


from collections.abc import Iterable

from daemon.core.entities import Entity

SAMPLE_RATE = 16_000
"""Hz; all audio inside Hearken is mono float32 in -1 to 1 at this rate."""


Roles = Mapping[str, frozenset[str]]
"""Name -> what it may stand for in a sentence: its entity's kind, type and capabilities."""


class Hypothesis(Struct, frozen=True):
    """One thing that may have been said; `confidence` is 0 to 1, calibrated per engine."""

    text: str
    confidence: float


class Transcript(Struct, frozen=True):
    """The best hypotheses for one clip, best first; empty where nothing was said."""

    hypotheses: tuple[Hypothesis, ...]
    lang: str
    engine: str

    @property
    def text(self) -> str:
        """The best hypothesis' text, or an empty string."""
        return self.hypotheses[0].text if self.hypotheses else ""

    @property
    def confidence(self) -> float:
        """The best hypothesis' confidence; 0 where there is none."""
        return self.hypotheses[0].confidence if self.hypotheses else 0.0


class Transcriber(Protocol):
    """A speech engine. Blocking: the caller gives it a thread of its own."""

    name: str
    languages: frozenset[str]

    def prepare(self, names: Sequence[str], roles: Roles | None = None) -> None:
        """Tells the engine the home's names, the most important first (again when they change)."""

    def transcribe(self, samples: NDArray[np.float32], lang: str) -> Transcript:
        """Mono float32 samples at `SAMPLE_RATE` to text.

        Raises:
            TranscriptionError: the engine failed on this clip.
            ModelMissing: its model is not installed.
        """


def spoken_roles(entities: Iterable[Entity]) -> Roles:
    """Name -> kind, type and capabilities of what is called so; a group can do what any of its members can."""
    exposed = [entity for entity in entities if entity.exposed]
    own = {entity.id: {capability.name for capability in entity.capabilities} for entity in exposed}
    roles: dict[str, frozenset[str]] = {}
    for entity in exposed:
        found = {entity.kind, *own[entity.id], *([entity.type] if entity.type else [])}
        if entity.kind == "group":
            found |= {name for member in entity.members for name in own.get(member, ())}
        for name in entity.names:
            roles[name] = roles.get(name, frozenset()) | found
    return roles
