"""A client that does not stop: `python -m benchmarks.speed.flooder PORT A_SECOND TOPIC...`, until its input ends.

Speaks MQTT 3.1.1 by itself (sections 3.1 and 3.3), at QoS 0: a library would be the slower of the two.
"""

from __future__ import annotations

import select
import socket
import sys
import time
from collections.abc import Sequence

_CONNECT = b"\x10\x13\x00\x04MQTT\x04\x02\x00\x00\x00\x07flooder"


def main(arguments: Sequence[str]) -> None:
    """Floods, and says so on standard output once it has begun."""
    port, a_second, *topics = arguments
    packets = [_publish(topic, number) for number in range(200) for topic in topics]
    with socket.create_connection(("127.0.0.1", int(port))) as broker:
        broker.sendall(_CONNECT)
        broker.recv(4)
        sys.stdout.write("flooding\n")
        sys.stdout.flush()
        begun, sent = time.monotonic(), 0
        while not select.select([sys.stdin], [], [], 0.002)[0]:
            due = int((time.monotonic() - begun) * int(a_second))
            broker.sendall(b"".join(packets[number % len(packets)] for number in range(sent, due)))
            sent = due


def _publish(topic: str, number: int) -> bytes:
    name = topic.encode()
    state = "on" if number % 2 else "off"
    body = len(name).to_bytes(2, "big") + name + b'{"state": "%b", "brightness": %d}' % (state.encode(), number % 100)
    return b"\x30" + bytes([len(body)]) + body


if __name__ == "__main__":
    main(sys.argv[1:])
