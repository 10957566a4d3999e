"""The one error tree. Everything Hearken raises on purpose derives from `HearkenError`.

HearkenError                  anything below; str() is one line fit for a person
├── UsageError                the command line was wrong (exit 2)
├── ConfigError               a configuration file is wrong: file, line, key, problem, remedy (exit 2)
├── BrokerError               the broker cannot be used
│   ├── BrokerUnavailable     no connection now; nothing was sent
│   │   └── BrokerLost        the connection broke on the way: what was sent may have arrived
│   └── BrokerRefused         the broker said no (credentials, TLS, protocol)
├── AudioError                a sound file or device cannot be read or played
├── ModelError                a model file cannot be used
│   ├── ModelMissing          not there; says the command that gets it
│   ├── ModelCorrupt          there, but its size or hash is wrong
│   └── ModelLate             it would take longer than it may
├── StorageError               a file that Hearken keeps things in cannot be used
├── BackupError                a backup cannot be made or used; all is as it was
├── TranscriptionError        a speech engine failed on this clip
├── TemplateError             a foreign template may not, or needs more than it gets
│   ├── TemplatePending       it is rendered elsewhere; ask again when that is done
│   └── TemplateWorkerError   the process that renders can't be started, or has ended
└── IRError                   something that claims to be an IR is not one
    └── DraftRefused          what a model drafted, of which no IR can be made
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path


class HearkenError(Exception):
    """Base of every error raised on purpose."""


class UsageError(HearkenError):
    """The command line was wrong."""


class ConfigError(HearkenError):
    """A configuration file is wrong.

    Args:
        file: The file as the user named it.
        line: 1-based line of the offending key or value; None where the whole file is meant.
        key: Dotted path of the key, such as `devices[3].area`; empty where the whole file is meant.
        problem: What is wrong, without a full stop.
        remedy: What would be right.
        others: What else is wrong in the file; may not be all of it.
    """

    def __init__(
        self,
        file: Path | str,
        line: int | None,
        key: str,
        problem: str,
        remedy: str,
        others: tuple[ConfigError, ...] = (),
    ) -> None:
        self.file = Path(file)
        self.line = line
        self.key = key
        self.problem = problem
        self.remedy = remedy
        self.others = others
        where = f"{file}:{line}" if line is not None else f"{file}"
        what = f"{key}: {problem}" if key else problem
        super().__init__(f"{where}: {what}; {remedy}")

    @property
    def every(self) -> tuple[ConfigError, ...]:
        """Itself and the others, in the order of the file."""
        return (self, *self.others)

    def __reduce__(
        self,
    ) -> tuple[type[ConfigError], tuple[Path, int | None, str, str, str, tuple[ConfigError, ...]]]:
        # Without it the error could not come back from another process: it would be rebuilt from its message alone.
        return type(self), (self.file, self.line, self.key, self.problem, self.remedy, self.others)


class BrokerError(HearkenError):
    """The broker cannot be used."""


class BrokerUnavailable(BrokerError):
    """There is no connection now, and nothing was sent."""


class BrokerLost(BrokerUnavailable):
    """The connection broke after something was sent and before it was acknowledged: nobody knows whether it arrived."""


class BrokerRefused(BrokerError):
    """The broker answered, and said no."""


class AudioError(HearkenError):
    """A sound file or device cannot be read or played."""


class ModelError(HearkenError):
    """A model file cannot be used."""


class ModelMissing(ModelError):
    """A model file is not there.

    Args:
        name: The model's name in `models/manifest.yaml`.
        remedy: The command that gets it.
    """

    def __init__(self, name: str, remedy: str) -> None:
        self.name = name
        self.remedy = remedy
        super().__init__(f"the model {name} is not installed; {remedy}")


class ModelCorrupt(ModelError):
    """A model file is there, but its size or hash is wrong."""


class ModelLate(ModelError):
    """A model would take longer than it may."""


class StorageError(HearkenError):
    """A file that Hearken keeps things in cannot be used; what is to be kept lasts as long as the process."""


class BackupError(HearkenError):
    """A backup cannot be made, or one cannot be used; what there is, is as it was."""


class TranscriptionError(HearkenError):
    """A speech engine failed on this clip."""


class TemplateError(HearkenError):
    """A template out of a payload does what it may not, or needs more time or memory than it gets."""


class TemplatePending(TemplateError):
    """A template is rendered in another process: await `rendered()`, and ask again.

    Args:
        rendered: Returns when it is done, or has failed; never raises.
    """

    def __init__(self, rendered: Callable[[], Awaitable[None]]) -> None:
        self.rendered = rendered
        super().__init__("is rendered in another process")


class TemplateWorkerError(TemplateError):
    """The process that renders templates can't be started, or has ended."""


class IRError(HearkenError):
    """Something that claims to be an IR is not one."""


class DraftRefused(IRError):
    """No IR can be made of what a model drafted.

    Args:
        name: The slot whose words say no such thing, or the meaning of which nothing can be made.
        words: The words of the slot; None where the meaning as a whole is refused.
        problem: What is wrong with it, in one line.
    """

    def __init__(self, name: str, words: str | None, problem: str) -> None:
        self.name = name
        self.words = words
        self.problem = problem
        super().__init__(problem)
