"""How long an act waits for what."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.act.observations import TWIN_S


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for what, in seconds."""

    deadline_s: float = 3.0
    """For a device that answers gets."""
    slow_s: float = 8.0
    """For covers to start, and for values that are still approaching the wish."""
    last_s: float = 0.6
    """For the answer to a last get at the deadline: nothing is called failed that has come true meanwhile."""
    encoding_s: float = 2.0
    """For a device's own template to be rendered, before the set."""
    twin_s: float = TWIN_S
    """So soon after an echo the same message is its duplicate."""
    settle_s: float = 0.6
    """From a get until its answer is believed, given again and uncontradicted: a bridge may repeat the wish before the
    device has told it the truth, which takes a radio this long at most."""
    slow_settle_s: float = 1.2
    """The same for covers and locks."""
    mute_s: float = 1.0
    """For a device that cannot be asked: only a contradiction could still come."""
    grace_s: float = 0.25
    """For the echo, before the first get."""
    pause_s: float = 0.3
    """Between two gets at first; doubles up to `longest_pause_s`."""
    longest_pause_s: float = 1.2
    retry_after: float = 0.45
    """The share of the deadline after which an idempotent set is repeated."""

    look_s: float = 4.0
    """Between two looks at what is under way; two answers so far apart with one place mean that it rests."""
    follow_s: float = 120.0
    """For a door to arrive, after it was told that it is under way."""
    late_s: float = 15.0
    """After a lost connection is back, for what was sent over it to arrive: a broker that stood still hands it on."""
