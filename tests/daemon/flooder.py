"""A client that says the same few hundred things on many topics, five thousand a second, until its input ends.

python flooder.py PORT USER PASSWORD TOPIC... - tells on standard output of each burst that it has sent.

It speaks MQTT 3.1.1 by itself (sections 3.1 and 3.3), at QoS 0, and leaves the processor to others: a machine that is
busy anyhow gets as much as it can take.
"""

import os
import select
import socket
import sys

BURST, PAUSE_S = 750, 0.15
NAME_AND_PASSWORD = 0xC2


def main(port: str, user: str, password: str, *topics: str) -> None:
    os.nice(10)
    burst = b"".join(_publish(topics[number % len(topics)], number // len(topics)) for number in range(BURST))
    with socket.create_connection(("127.0.0.1", int(port))) as broker:
        broker.sendall(
            _packet(0x10, _text("MQTT"), bytes((4, NAME_AND_PASSWORD, 0, 0)), *map(_text, ("flooder", user, password)))
        )
        broker.recv(4)
        while not select.select([sys.stdin], [], [], PAUSE_S)[0]:
            broker.sendall(burst)
            sys.stdout.write("more\n")
            sys.stdout.flush()


def _publish(topic: str, number: int) -> bytes:
    state = "ON" if number % 2 else "OFF"
    return _packet(0x30, _text(topic), f'{{"state": "{state}", "brightness": {number % 254}}}'.encode())


def _packet(kind: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    assert len(body) < 128
    return bytes((kind, len(body))) + body


def _text(text: str) -> bytes:
    return len(text.encode()).to_bytes(2, "big") + text.encode()


if __name__ == "__main__":
    main(*sys.argv[1:])
