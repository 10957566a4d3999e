import pickle
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.errors import ConfigError
from daemon.home.config import MqttSettings, PasswordSource
from daemon.home.secrets import Secret, read_secret
from daemon.mqtt.failures import Backoff
from daemon.mqtt.settings import Broker

HOME = Path("devices.yaml")


def test_a_secret_does_not_print() -> None:
    broker = Broker(user="me", password=Secret("swordfish"))
    for text in (repr(broker), str(broker), f"{broker.password}", repr([broker.password])):
        assert "swordfish" not in text
    with pytest.raises(TypeError):
        pickle.dumps(broker.password)
    assert broker.password == Secret("swordfish")
    assert broker.password != Secret("other")


def test_passwords_are_read_from_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("from a file \n", encoding="utf-8")
    folder = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    assert read_secret(PasswordSource(env="X"), HOME, "mqtt.password", {"X": "from env"}) == Secret("from env")
    assert read_secret(PasswordSource(file=tmp_path / "password"), HOME, "mqtt.password", {}) == Secret("from a file ")
    assert read_secret(PasswordSource(credential="password"), HOME, "mqtt.password", folder) == Secret("from a file ")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (PasswordSource(env="NOT_SET"), "the environment variable NOT_SET is not set"),
        (PasswordSource(file=Path("/nowhere/at/all")), "cannot read /nowhere/at/all: No such file"),
        (PasswordSource(credential="mqtt"), "no systemd credentials"),
        (PasswordSource(), "names no place"),
    ],
)
def test_a_missing_password_is_told(source: PasswordSource, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        read_secret(source, HOME, "mqtt.password", {})
    assert str(caught.value).startswith("devices.yaml: mqtt.password: ")


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe\x00"])
def test_a_file_without_a_password_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "password").write_bytes(content)
    with pytest.raises(ConfigError, match="write the secret into it"):
        read_secret(PasswordSource(file=tmp_path / "password"), HOME, "mqtt.password", {})


def test_a_home_file_says_how_to_reach_the_broker() -> None:
    settings = MqttSettings("broker.home", 8883, user="me", password=PasswordSource(env="P"), version="5")
    broker = Broker.of(settings, HOME, {"P": "s"})
    assert (broker.host, broker.port, broker.user, broker.password, broker.protocol) == (
        "broker.home",
        8883,
        "me",
        Secret("s"),
        "5",
    )


@given(st.integers(1, 10_000), st.booleans(), st.integers())
def test_backoff_grows_to_its_cap(attempt: int, refused: bool, seed: int) -> None:  # noqa: FBT001
    backoff = Backoff(first_s=0.5, cap_s=8.0, refused_cap_s=30.0)
    full = min(30.0 if refused else 8.0, 0.5 * 2.0 ** min(attempt - 1, 20))
    assert full / 2 <= backoff.delay(attempt, random.Random(seed), refused=refused) <= full
