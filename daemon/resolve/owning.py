"""Whose a thing is: "my lamp", "Amal's lamp"."""

from __future__ import annotations

from daemon.core.entities import Entity
from daemon.core.resolution import Context, Resolution, Step
from daemon.core.values import replace
from daemon.home.names import possessed
from daemon.resolve.choosing import settled
from daemon.resolve.evidence import owner_of, preferred
from daemon.resolve.request import House, Request


def owned(house: House, request: Request) -> Resolution | None:
    """What somebody's own is, where that is known; None where nobody's was said."""
    if not _is_owned(house, request):
        return None
    registry = house.registry
    wish = next((item for item in preferred(registry, request) if _may_be(house, request, registry[item])), None)
    if wish is None:
        return None
    found = settled(house, request, [registry[wish]], 1.0, "preference")
    return replace(found, target=request.target, steps=(Step("preference", wish),))


def less_room(house: House, request: Request) -> Request:
    """The request; of somebody's own less the room and the states, which do not tell whose a thing is."""
    if not _is_owned(house, request) or not house.registry.people or request.plural:
        return request
    return replace(request, context=Context(request.context.lang, speaker=request.context.speaker))


def _is_owned(house: House, request: Request) -> bool:
    target = request.target
    return target.mine or owner_of(house.registry, request) is not None or possessed(target.mention or "") is not None


def _may_be(house: House, request: Request, wish: Entity) -> bool:
    return not request.scope.spoken or house.places.holds(request.scope, wish)
