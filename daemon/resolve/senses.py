"""What else a command can mean, where what was named cannot do it in the first sense."""

from __future__ import annotations

from daemon.core.ir import Clause
from daemon.core.resolution import ClauseResolution
from daemon.core.values import replace


def another_sense(clause: Clause, found: ClauseResolution) -> Clause | None:
    """The clause in its other sense; None where it has none.

    A lamp is not heated: "warmer" of one, by whatever name, is a warmer white, which is fewer kelvin. Only of what was
    named or spoken of before; a room that is to be warmer is not to be lit otherwise.
    """
    parameter = clause.parameter
    if clause.action not in ("increase", "decrease") or parameter is None or parameter.attribute != "temperature":
        return None
    if parameter.unit not in (None, "step") or any(item.status != "unsupported" for item in found.targets):
        return None
    if any(target.mention is None and target.reference not in ("it", "that", "them") for target in clause.targets):
        return None
    warmer = clause.action == "increase"
    tone = replace(parameter, attribute="color_temp", op="decrease" if warmer else "increase")
    return replace(clause, action="decrease" if warmer else "increase", parameter=tone)
