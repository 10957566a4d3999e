"""What a home file says, as values. `daemon.home.loader` makes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from daemon.core.entities import Entity, Person, SceneStep, Value
from daemon.core.thresholds import Thresholds
from daemon.system.languages import LANGS

Behaviour = Literal["normal", "sleepy", "offline", "stuck", "late"]


class PasswordSource(Struct, frozen=True):
    """Where a secret is to be found; never the secret itself. Exactly one field is set."""

    env: str | None = None
    """The name of an environment variable."""
    file: Path | None = None
    """A file that holds nothing else."""
    credential: str | None = None
    """The name of a systemd credential (LoadCredential=)."""


class TlsSettings(Struct, frozen=True):
    """How the broker proves who it is, and we who we are."""

    ca: Path | None = None
    """The authority's certificate; None trusts the system's authorities."""
    certificate: Path | None = None
    key: Path | None = None


class MqttSettings(Struct, frozen=True):
    """The broker that the home talks through."""

    host: str
    port: int
    user: str | None = None
    password: PasswordSource | None = None
    tls: TlsSettings | None = None
    version: Literal["3.1.1", "5"] | None = None
    """None: what the broker speaks is found out."""


@dataclass(frozen=True, slots=True)
class SimulatedDevice:
    """How a device of the simulated home behaves.

    `sleepy` answers nothing and pushes now and then; `offline` is not there; `stuck` echoes a command and stays as it
    was; `late` answers after a deadline has passed.
    """

    behaviour: Behaviour = "normal"
    state: dict[str, Value] = field(default_factory=dict, hash=False)
    """Canonical attribute -> the value it starts with."""
    latency_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Simulation:
    """The simulated home that stands in where no broker is configured."""

    latency_ms: float = 0.0
    jitter_ms: float = 0.0
    seed: int = 1
    devices: dict[str, SimulatedDevice] = field(default_factory=dict, hash=False)


class Location(Struct, frozen=True):
    """Where the house stands, for sunrise and sunset. Degrees, north and east positive."""

    latitude: float
    longitude: float


class Server(Struct, frozen=True):
    """Where a server listens, ours or another's."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Wyoming(Struct, frozen=True):
    """What Hearken offers to others by the Wyoming protocol, and what it takes from them."""

    serve: Server | None = None
    """Where our own hearing, voice and understanding are offered; None: nowhere."""
    asr: Server | None = None
    """Who hears for us."""
    tts: Server | None = None
    """Who speaks for us."""
    limit_s: float = 5.0
    """So long these may take before our own do it."""


class Console(Struct, frozen=True):
    """The pages that show the home in a browser."""

    server: Server = Server("127.0.0.1", 4327)
    """Where they are served: by default for this machine alone, on the port that spells HEAR on a telephone."""
    token: PasswordSource | None = None
    """Where the word is to be found that lets one in; None, only at a loopback address: all of this machine are in."""
    certificate: Path | None = None
    """With `key`, of TLS; None: without."""
    key: Path | None = None
    names: tuple[str, ...] = ()
    """What else this machine is called in an address line, beside its addresses and its own name."""


class EspHome(Struct, frozen=True):
    """An ESPHome box with a voice assistant."""

    server: Server
    key: PasswordSource | None = None
    """Where its encryption key is to be found; None: whoever is on the network can listen in."""


WAKE_WORDS: Final = ("alexa", "hey_jarvis", "hey_mycroft", "okay_nabu")
"""Those that need no file."""


class WakeWord(Struct, frozen=True):
    """A word that a place wakes at."""

    word: str = "okay_nabu"
    """One of `WAKE_WORDS`, or the path of a description (`.json`) beside its model."""
    lang: str | None = None
    """What is spoken behind it; None: what is spoken there."""


class Microphone(Struct, frozen=True):
    """Where something that hears stands, and whose it is: the daemon's own microphone, or a satellite."""

    area: str | None = None
    """The area that it hears."""
    speaker: str | None = None
    """The person who is meant where nobody else is known to speak."""
    lang: str | None = None
    """What is spoken there; None: the home's main language."""
    wake: tuple[WakeWord, ...] = (WakeWord(),)
    """What is listened for here; a box with a wake word of its own is asked for that."""
    sensitivity: float = 0.5
    """How readily a wake word is heard, 0 to 1; 0.5: as its maker set it."""
    wyoming: Server | None = None
    """Where a Wyoming satellite waits for us."""
    esphome: EspHome | None = None
    """The ESPHome box that it is; where this and `wyoming` are None it writes to us by other ways, or is our own."""

    @property
    def server(self) -> Server | None:
        """Where we connect to it; None: we do not."""
        return self.wyoming if self.esphome is None else self.esphome.server


class Discovery(Struct, frozen=True):
    """Where the broker tells of devices."""

    zigbee2mqtt: tuple[str, ...] = ("zigbee2mqtt",)
    """The base topics of zigbee2mqtt; none: it is not asked."""
    homeassistant: str | None = "homeassistant"
    """The prefix of Home Assistant's discovery topics; None: it is not listened to."""
    tasmota: str | None = "tasmota/discovery"
    """The prefix of Tasmota's own discovery topics; None: it is not listened to."""


class Interface(Struct, frozen=True):
    """Hearken's own topics on the broker."""

    prefix: str = "hearken"
    anybody: bool = False
    """Whether satellites that the home file does not name are listened to."""
    trace: bool = False
    """Whether every stage is written as well."""
    announce: str | None = "homeassistant"
    """The prefix under which Home Assistant is told of Hearken; None: it is not."""


class Override(Struct, frozen=True):
    """What a home file says of a device that the broker tells of."""

    entity: Entity
    """Its id, and whatever the file gives."""
    discovered: str
    """What the broker calls it."""
    given: frozenset[str] = frozenset()
    """The keys that the file gives; the rest is as found."""


@dataclass(frozen=True, slots=True)
class RoundSettings:
    """How long a name is looked for; `daemon.resolve.rounds` says what the numbers mean. All but `most` are 0 to 1."""

    most: int = 4
    """Rounds at the most, 1 to 4."""
    enough: float = 0.7
    """From this sufficiency on, the search stops ..."""
    too_little: float = 0.5
    """... and below this one it goes on."""
    similarity: float = 0.4
    richness: float = 0.3
    novelty: float = 0.2
    evidence: float = 0.1


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The small model, and what helps it."""

    name: str | None = None
    """In models/manifest.yaml, of the model that gives the second opinion; None: our own."""
    limit_s: float = 1.0
    """So long they may think."""
    line: int | None = field(default=None, compare=False)
    """Of the file, where the name stands."""


@dataclass(frozen=True, slots=True)
class HomeConfig:
    """All that a home file says."""

    entities: tuple[Entity, ...]
    """Everything that is known without asking the broker."""
    people: tuple[Person, ...] = ()
    scene_steps: dict[str, tuple[SceneStep, ...]] = field(default_factory=dict, hash=False)
    """Scene id -> what Hearken writes for it; a scene that lives on the broker has none."""
    languages: tuple[str, ...] = LANGS
    """The home's main language first."""
    mqtt: MqttSettings | None = None
    """None: the embedded broker and the simulated home."""
    simulation: Simulation = field(default_factory=Simulation)
    thresholds: Thresholds = field(default_factory=Thresholds)
    rounds: RoundSettings = field(default_factory=RoundSettings)
    microphone: Microphone = field(default_factory=Microphone)
    satellites: dict[str, Microphone] = field(default_factory=dict, hash=False)
    """By the id that a satellite gives itself: "console" is whatever is typed."""
    wyoming: Wyoming = field(default_factory=Wyoming)
    console: Console | None = field(default_factory=Console)
    """None: no pages are served."""
    location: Location | None = None
    discovery: Discovery | None = None
    """None: the broker is not asked what there is."""
    interface: Interface | None = None
    """None: commands are not taken from the broker."""
    keep_days: float = 365.0
    """How long the audit log keeps what was done."""
    late_s: float = 300.0
    """How late what was kept for later may still be carried out; after that it is only said that it was missed."""
    model: ModelSettings | None = field(default_factory=ModelSettings)
    """None: no small model reads what the grammar cannot."""
    encoder: str | None = None
    """In models/manifest.yaml, of the model that tells what words mean; None: our own."""
    overrides: tuple[Override, ...] = ()
    """Entries of `devices` that say `discovered`."""
