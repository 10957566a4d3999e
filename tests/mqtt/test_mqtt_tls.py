"""TLS against a real mosquitto, with certificates made for the test."""

from pathlib import Path

import pytest

from daemon.home.config import TlsSettings
from daemon.mqtt.bus import LONGEST_LIST, Publication
from tests.brokers import SOON_S, Inbox, Mosquitto, authority, certificate, connected, refusal, running_mosquitto


@pytest.mark.parametrize("protocol", ["3.1.1", "5"])
async def test_messages_go_through_tls(mosquitto: Mosquitto, protocol: str) -> None:
    async with connected(mosquitto.secure(protocol=protocol)) as one, connected(mosquitto.broker()) as two:
        inbox = Inbox()
        await one.subscribe("a", inbox, longest=LONGEST_LIST)
        await two.publish(Publication("a", b"in the clear"))
        await one.publish(Publication("a", b"x" * 300_000))
        assert {len(message.payload) for message in await inbox.count(2)} == {12, 300_000}


async def test_tls_comes_back_after_the_broker_did(mosquitto: Mosquitto) -> None:
    async with connected(mosquitto.secure()) as bus:
        await mosquitto.kill()
        await mosquitto.start()
        await bus.ready(SOON_S)
        inbox = Inbox()
        await bus.subscribe("a", inbox)
        await bus.publish(Publication("a", b""))
        await inbox.count(1)


async def test_an_authority_that_did_not_sign_it(mosquitto: Mosquitto, tmp_path: Path) -> None:
    authority(tmp_path, "other")
    said = await refusal(mosquitto.secure(tls=TlsSettings(ca=tmp_path / "other.crt")))
    assert said.startswith(f"BrokerRefused: the certificate of localhost:{mosquitto.tls_port} is not accepted (")
    assert "set mqtt.tls.ca" in said


async def test_a_self_made_authority_that_was_not_named(mosquitto: Mosquitto) -> None:
    assert "is not accepted" in await refusal(mosquitto.secure(tls=TlsSettings()))


async def test_a_name_that_is_not_in_the_certificate(mosquitto: Mosquitto) -> None:
    said = await refusal(mosquitto.secure(host="127.0.0.1"))
    assert said.startswith("BrokerRefused:")
    assert "certificate is not valid for '127.0.0.1'" in said
    assert "mqtt.host to a name that it is for" in said


@pytest.mark.parametrize("protocol", ["3.1.1", "5"])
async def test_a_certificate_that_has_expired(mosquitto_folder: Path, protocol: str) -> None:
    async with running_mosquitto(mosquitto_folder, server="expired") as broker:
        said = await refusal(broker.secure(protocol=protocol))
    assert said.startswith(f"BrokerRefused: the certificate of localhost:{broker.tls_port} is not accepted (")
    assert "expired" in said
    assert "renew it" in said


async def test_a_certificate_of_ours_that_has_expired(mosquitto: Mosquitto) -> None:
    tls = TlsSettings(mosquitto.ca, mosquitto.folder / "expired.crt", mosquitto.folder / "expired.key")
    said = await refusal(mosquitto.secure(port=mosquitto.mutual_port, tls=tls))
    assert "mqtt.tls.certificate" in said


async def test_a_certificate_of_ours_from_another_authority(mosquitto: Mosquitto, tmp_path: Path) -> None:
    authority(tmp_path, "other")
    certificate(tmp_path, "other", "client", "hearken")
    tls = TlsSettings(mosquitto.ca, tmp_path / "client.crt", tmp_path / "client.key")
    said = await refusal(mosquitto.secure(port=mosquitto.mutual_port, tls=tls))
    assert "mqtt.tls.certificate" in said


async def test_a_key_that_is_not_that_of_the_certificate(mosquitto: Mosquitto) -> None:
    tls = TlsSettings(mosquitto.ca, mosquitto.folder / "client.crt", mosquitto.folder / "server.key")
    said = await refusal(mosquitto.secure(port=mosquitto.mutual_port, tls=tls))
    assert said.startswith("BrokerRefused: cannot use ")
    assert "as mqtt.tls.certificate and key" in said


async def test_a_port_without_tls(mosquitto: Mosquitto) -> None:
    said = await refusal(mosquitto.secure(port=mosquitto.port))
    assert f"localhost:{mosquitto.port}" in said
    assert "TLS" in said or "closed the connection" in said


async def test_a_tls_port_without_tls(mosquitto: Mosquitto) -> None:
    said = await refusal(mosquitto.broker(port=mosquitto.tls_port))
    assert said == (
        f"BrokerUnavailable: 127.0.0.1:{mosquitto.tls_port} closed the connection; "
        "check that this port speaks MQTT without TLS"
    )


async def test_a_broker_that_wants_a_certificate(mosquitto: Mosquitto) -> None:
    said = await refusal(mosquitto.secure(port=mosquitto.mutual_port))
    assert f"localhost:{mosquitto.mutual_port}" in said
    assert "mqtt.tls.certificate where the broker asks for one" in said


async def test_a_broker_that_gets_its_certificate(mosquitto: Mosquitto) -> None:
    tls = TlsSettings(mosquitto.ca, mosquitto.folder / "client.crt", mosquitto.folder / "client.key")
    async with connected(mosquitto.secure(port=mosquitto.mutual_port, tls=tls)) as bus:
        await bus.publish(Publication("a", b""))


@pytest.mark.parametrize("content", [None, b"no certificate"])
async def test_a_certificate_file_that_cannot_be_used(
    mosquitto: Mosquitto, tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "authority.pem"
    if content is not None:
        file.write_bytes(content)
    said = await refusal(mosquitto.secure(tls=TlsSettings(ca=file)))
    assert str(file) in said
