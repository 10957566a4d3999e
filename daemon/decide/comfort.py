"""What it takes against a need ("it's so hot") where what could help is switched off: that it be switched on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.core.ir import Clause, Op, Parameter
from daemon.core.resolution import Context
from daemon.core.values import replace
from daemon.home.actions import pursues
from daemon.home.registry import Registry

_WAYS: Final[dict[Op, str]] = {"increase": "heat", "decrease": "cool"}
"""How the temperature of a room goes up and down."""


def switched_on(clause: Clause, entities: Sequence[str], context: Context, registry: Registry) -> Clause | None:
    """The need as "switch it on", in the mode that helps; None where that is not what helps.

    Nobody lowers the setting of an air conditioner that is off; and a heater that is off is no help against heat.
    """
    wished = clause.parameter
    if not clause.implicit or wished is None or wished.attribute != "temperature" or wished.op not in _WAYS:
        return None
    way = _WAYS[wished.op]
    devices = [registry[item] for item in entities]
    if not devices or any(context.state_of(item.id, "state") != "off" or not pursues(item, way) for item in devices):
        return None
    modes = any(item.capability("mode") is not None for item in devices)
    return replace(clause, action="turn_on", parameter=Parameter("mode", "set", way) if modes else None)
