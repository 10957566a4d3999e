"""What a parameter comes to for one device: an absolute value within its range, or why there is none."""

from __future__ import annotations

from daemon.act import palette
from daemon.act.palette import armed, levels, nearest_option, option_of, plain, swinging
from daemon.act.values import convert, implausible, is_wanted, number, offer, sane_unit, steps
from daemon.core.entities import Capability, Entity, Value
from daemon.core.ir import Op, Parameter
from daemon.core.outcomes import Observed, Problem, Reason, Write, fresh
from daemon.core.values import replace
from daemon.home import actions, settings

_SNAPPED = frozenset({"temperature"})
"""Attributes whose capability step is what the device can be set to, not only what "a bit" means."""
LIT = frozenset({"brightness", "speed"})
"""Attributes that count as 0 while the device is off."""
_DIM = 20.0  # per cent: what "dim the lamp" makes of one that is off
_LIT = 50.0  # per cent: what "brighter" makes of it
_FINEST = {"F": 1.0, "C": 0.5}
"""To what a temperature that was said in another unit is rounded, where the device does not tell its steps."""
_DIGIT, _SPEEDS, _SHOWN = 9, 3, 12


def parameter_of(action: str, parameter: Parameter | None) -> Parameter:
    """The parameter with the direction that the verb gives, where it was left out: "turn up the lamp"."""
    if action not in ("increase", "decrease"):
        return parameter or Parameter("value")
    op: Op = "increase" if action == "increase" else "decrease"
    if parameter is None:
        return Parameter("value", op)
    return replace(parameter, op=op) if parameter.op == "set" and parameter.value is None else parameter


def _is_lit(capability: Capability) -> bool:
    return capability.attribute in LIT and capability.name != settings.NAME


def is_relative(parameter: Parameter) -> bool:
    """Whether the present value decides what to send."""
    return parameter.op in ("increase", "decrease") or parameter.unit == "fraction"


def reads(entity: Entity, parameter: Parameter) -> tuple[str, ...]:
    """The attributes that must be known before this parameter can be planned for the device."""
    capability = actions.capability_for(entity, parameter)
    if capability is not None and (parameter.by is not None or parameter.powers):
        return tuple(name for name in ("state", "mode") if entity.reads(name) is not None)
    toward, least = parameter.toward is not None, parameter.op == "min"
    if capability is None or not (is_relative(parameter) or toward or (least and _is_lit(capability))):
        return ()
    lit = (_is_lit(capability) or toward) and entity.reads("state") is not None
    return ("state", capability.attribute) if lit else (capability.attribute,)


def write_for(entity: Entity, action: str, parameter: Parameter, observed: Observed) -> Write | Problem:
    """The absolute write that a parameter comes to for this device."""
    capability = actions.capability_for(entity, parameter)
    if capability is None:
        return _stand_in(entity, action, parameter)
    present = fresh(observed, entity.id, capability.attribute)
    if is_relative(parameter):
        found = _relative(entity, action, parameter, capability, observed)
    elif parameter.op in ("max", "min"):
        found = _extreme(entity, action, parameter, capability)
    elif isinstance(parameter.value, str):
        found = _worded(entity, action, parameter.value, capability)
        if isinstance(found, Write) and found.attribute == "media":
            found = replace(found, unit=parameter.unit)
    elif parameter.value is None:
        found = Problem(entity.id, "missing_value", capability.attribute)
    elif parameter.unit == "step" or _counts_levels(parameter, capability):
        found = _level(entity, action, float(parameter.value), capability)
    else:
        found = _absolute(entity, action, float(parameter.value), parameter.unit, capability)
        if isinstance(found, Write) and _other_way(found, parameter, present, fresh(observed, entity.id, "state")):
            reason: Reason = "above_already" if parameter.toward == "increase" else "below_already"
            now = number(present)
            return Problem(entity.id, reason, found.attribute, now, now, capability.unit, nearest=number(found.value))
    if isinstance(found, Write) and capability.name == settings.NAME:
        found = replace(found, action="set")  # whichever way it goes
    return replace(found, before=present) if isinstance(found, Write) and found.before is None else found


def _other_way(write: Write, parameter: Parameter, present: Value | None, state: Value | None) -> bool:
    """Whether "turn it up to 10" would turn it down. What is off, or not known, speaks against nothing."""
    now, then = number(present), number(write.value)
    if parameter.toward is None or now is None or then is None or state == "off":
        return False
    return then < now if parameter.toward == "increase" else then > now


def _stand_in(entity: Entity, action: str, parameter: Parameter) -> Write | Problem:
    """Where a device lacks the capability but the wish comes to one it has: a white tone, "off"."""
    if settings.is_setting(parameter.attribute):
        return Problem(entity.id, "unsupported", parameter.attribute)
    word = parameter.value if isinstance(parameter.value, str) else None
    white = palette.kelvin(word) if word is not None and parameter.attribute == "color" else None
    if white is not None and (tone := entity.capability("color_temp")) is not None:
        return _in_range(entity, action, white, tone, clamp=True)
    if word in ("on", "off") and parameter.attribute != "swing" and entity.capability("on_off") is not None:
        return Write(entity.id, "state", word, f"turn_{word}")
    return Problem(entity.id, "unsupported", parameter.attribute)


def _relative(
    entity: Entity, action: str, parameter: Parameter, capability: Capability, observed: Observed
) -> Write | Problem:
    unknown = Problem(entity.id, "no_value", capability.attribute)
    off = False
    if _is_lit(capability) and entity.reads("state") is not None:
        state = fresh(observed, entity.id, "state")
        if state is None:
            return unknown
        off = state == "off"
        if off and parameter.op != "increase":
            # A darker lamp must not come on unasked; who dims one that is off, by no amount, wants it on, and dim.
            dim = _DIM if parameter.value is None and capability.attribute == "brightness" else None
            return Problem(entity.id, "is_off", capability.attribute, nearest=dim)
    present = fresh(observed, entity.id, capability.attribute)
    if isinstance(present, str):
        return palette.next_word(entity, action, present, parameter, capability)
    now = 0.0 if off else number(present)
    if now is None:
        return unknown
    lights = off and capability.attribute == "brightness" and parameter.value is None
    wished = _LIT if lights else _target(now, parameter, capability)
    if wished is None:
        return Problem(entity.id, "unsupported", capability.attribute)
    floor = 1.0 if capability.attribute == "brightness" else None
    found = _in_range(entity, action, wished, capability, clamp=True, floor=floor)
    if isinstance(found, Problem):
        return found
    then = number(found.value)
    if then is not None and is_wanted(entity, capability, now) and not is_wanted(entity, capability, then):
        loud = capability.attribute == "volume"
        return found if loud else implausible(entity, capability, _tidy(then), capability.unit)
    return replace(found, delta=_tidy(wished, now), before=present)


def _target(now: float, parameter: Parameter, capability: Capability) -> float | None:
    sign = -1.0 if parameter.op == "decrease" else 1.0
    amount = number(parameter.value)
    if sign * ((usual := palette.usual(parameter, capability, now)) - now) > 0:
        return usual
    if parameter.unit == "fraction":
        share = 0.5 if amount is None else amount
        if parameter.op not in ("increase", "decrease"):
            return now * share
        # A third of nothing is nothing: what is off is turned up by a third of all there is.
        whole = capability.maximum if now == 0 and sign > 0 and capability.maximum is not None else now
        return now + sign * share * whole
    if amount is None or parameter.unit == "step":
        return now + sign * steps(1.0 if amount is None else amount, capability)
    if parameter.unit == "%" and capability.unit not in ("%", None):
        if capability.attribute == "temperature" or capability.minimum is None or capability.maximum is None:
            return None
        return now + sign * (capability.maximum - capability.minimum) * amount / 100
    difference = convert(amount, parameter.unit, capability.unit, difference=True)
    return None if difference is None else now + sign * difference


def _counts_levels(parameter: Parameter, capability: Capability) -> bool:
    """Whether a bare number is a level: "fan 3", 风扇调到三. Nobody wants three per cent of a speed."""
    single = isinstance(parameter.value, float | int) and 1 <= parameter.value <= _DIGIT
    fine = capability.maximum is not None and capability.maximum > _DIGIT
    return single and fine and parameter.unit is None and capability.attribute == "speed"


def _level(entity: Entity, action: str, level: float, capability: Capability) -> Write | Problem:
    """The so-maniest level, as in "speed 2" or 三档: a word of the device, or so many steps above its lowest value.

    A speed without steps of its own has three levels: low, medium, high.
    """
    if capability.name == settings.NAME and capability.minimum is not None:
        return _in_range(entity, action, level, capability, clamp=False)
    if (words := levels(capability)) and capability.minimum is None:
        if level != int(level) or not 1 <= level <= len(words):
            return Problem(entity.id, "no_option", capability.attribute, options=words)
        return Write(entity.id, capability.attribute, words[int(level) - 1], action)
    if capability.minimum is None or capability.maximum is None:
        return Problem(entity.id, "unsupported", capability.attribute)
    span = capability.maximum - capability.minimum
    step = capability.step or (span / _SPEEDS if capability.attribute == "speed" else actions.step_of(capability))
    if level < 0 or level * step > span + step / 2:
        counted = tuple(str(number) for number in range(1, round(span / step) + 1))
        return Problem(entity.id, "no_option", capability.attribute, options=counted[:_SHOWN])
    return _number_write(entity, action, min(round(capability.minimum + level * step), capability.maximum), capability)


def _extreme(entity: Entity, action: str, parameter: Parameter, capability: Capability) -> Write | Problem:
    words = levels(capability)
    if capability.minimum is None or capability.maximum is None:
        if not words:
            return Problem(entity.id, "unsupported", capability.attribute)
        return Write(entity.id, capability.attribute, words[-1 if parameter.op == "max" else 0], action)
    end = capability.maximum if parameter.op == "max" else capability.minimum
    if capability.attribute == "temperature" and not is_wanted(entity, capability, end):
        return implausible(entity, capability, end, capability.unit)
    least = 1.0 if parameter.op == "min" and _is_lit(capability) else end
    return _number_write(entity, action, max(end, least), capability)


def _worded(entity: Entity, action: str, word: str, capability: Capability) -> Write | Problem:
    if capability.name in ("color", "color_temp"):
        return _tinted(entity, action, word, capability)
    if capability.name == "arm":
        return armed(entity, action, word)
    if capability.name == settings.NAME:
        return _of_setting(entity, action, word, capability)
    if capability.name == "play_media":
        return Write(entity.id, capability.attribute, word, action)
    if capability.name == "swing":
        word = swinging(word, capability.options)
    if (option := option_of(word, capability.options) or settings.option(word, capability.options)) is not None:
        # What is asked for by its title may be a source: "play the radio".
        return Write(entity.id, capability.attribute, option, "set" if action == "play" else action)
    if plain(word) in ("off", "on") and capability.name != "swing" and entity.capability("on_off") is not None:
        return Write(entity.id, "state", plain(word), f"turn_{plain(word)}")
    share = palette.share(word)
    if share is not None and capability.minimum is not None and capability.maximum is not None:
        low, high = capability.minimum, capability.maximum
        # A word is no precise number: nobody wants to hear of 33.3 percent.
        return _number_write(entity, action, round(low + (high - low) * share), capability)
    nearest = nearest_option(word, capability.options)
    return Problem(entity.id, "no_option", capability.attribute, nearest=nearest, options=capability.options)


def _of_setting(entity: Entity, action: str, word: str, capability: Capability) -> Write | Problem:
    """An option of a setting, whatever language it is in; to switch off what is counted from 0 is to set it to that."""
    if capability.options:
        if (option := settings.option(word, capability.options)) is not None:
            return Write(entity.id, capability.attribute, option, action)
        return Problem(entity.id, "no_option", capability.attribute, options=capability.options[:_SHOWN])
    share = 0.0 if word == "off" and capability.minimum == 0 else palette.share(word)
    if share is None:
        low, high = capability.minimum, capability.maximum
        return Problem(entity.id, "out_of_range", capability.attribute, low, high, capability.unit)
    return _number_write(entity, action, settings.part(capability, share) or 0.0, capability)


def _tinted(entity: Entity, action: str, word: str, capability: Capability) -> Write | Problem:
    """A colour, or the white tone that the word means where the lamp has tones."""
    if capability.name == "color" and (code := palette.color(word)) is not None:
        return Write(entity.id, "color", code, action)
    white, tone = palette.kelvin(word), entity.capability("color_temp")
    if white is not None and tone is not None:
        return _in_range(entity, action, white, tone, clamp=True)
    known = palette.COLORS if capability.name == "color" else palette.WHITES
    return Problem(entity.id, "no_option", capability.attribute, options=tuple(known))


def _absolute(entity: Entity, action: str, value: float, unit: str | None, capability: Capability) -> Write | Problem:
    if capability.minimum is None and capability.maximum is None and capability.options:
        if (option := option_of(f"{value:g}", capability.options)) is not None:
            return Write(entity.id, capability.attribute, option, action)
        return Problem(entity.id, "no_option", capability.attribute, options=capability.options)
    if capability.name in ("on_off", "color", "lock"):
        return Problem(entity.id, "unsupported", capability.attribute)
    unit = unit or sane_unit(entity, capability, value)
    wished = convert(value, unit, capability.unit)
    if unit == "%" != capability.unit and capability.name == settings.NAME:  # of its range
        wished = settings.part(capability, value / 100)
    if wished is None:
        return Problem(entity.id, "unsupported", capability.attribute)
    if wished == 0 and _is_lit(capability) and entity.capability("on_off") is not None:
        return Write(entity.id, "state", "off", "turn_off")
    if unit not in (None, capability.unit) and capability.unit in _FINEST and not capability.step:
        wished = round(wished / _FINEST[capability.unit]) * _FINEST[capability.unit]  # nobody counts tenths of these
    if not is_wanted(entity, capability, wished):
        doubt = implausible(entity, capability, _tidy(value), unit)
        ends = _in_range(entity, action, wished, capability, clamp=False)
        # What is out of its range is told with that, where its end is something to offer.
        return ends if isinstance(ends, Problem) and ends.nearest is not None else doubt
    return _in_range(entity, action, wished, capability, clamp=False)


def _in_range(
    entity: Entity, action: str, wished: float, capability: Capability, *, clamp: bool, floor: float | None = None
) -> Write | Problem:
    low = max((item for item in (capability.minimum, floor) if item is not None), default=wished)
    high = wished if capability.maximum is None else capability.maximum
    nearest = min(max(wished, low), high)
    if nearest != wished and not clamp:
        return Problem(
            entity.id,
            "out_of_range",
            capability.attribute,
            capability.minimum,
            high,
            capability.unit,
            offer(entity, capability, nearest),
        )
    found = _number_write(entity, action, nearest, capability)
    return replace(found, clamped=nearest != wished)


def _number_write(entity: Entity, action: str, value: float, capability: Capability) -> Write:
    low = capability.minimum or 0.0
    if capability.attribute in _SNAPPED and capability.step:
        value = low + round((value - low) / capability.step) * capability.step
    if capability.maximum is not None:
        value = min(value, capability.maximum)
    return Write(entity.id, capability.attribute, _tidy(value), action, unit=capability.unit)


def _tidy(value: float, minus: float = 0.0) -> float:
    """The number without the noise of floating point."""
    tidy = round(value - minus, 2)
    return int(tidy) if tidy == int(tidy) else tidy
