"""A client that says the same few hundred things on many topics, ten thousand a second, until its input ends.

It comes in bursts, each of more than a house reads in a moment, and leaves the processor to others: a machine that is
busy anyhow gets fewer of them.

python flooder.py PORT USER PASSWORD TOPIC... - tells on standard output when it has begun.
"""

import os
import select
import sys
from itertools import count

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

BURST, PAUSE_S = 1_500, 0.15


def main(port: str, user: str, password: str, *topics: str) -> None:
    client = Client(CallbackAPIVersion.VERSION2)
    client.username_pw_set(user, password)
    client.connect("127.0.0.1", int(port))
    client.loop_start()
    os.nice(10)
    numbers = count()
    while not select.select([sys.stdin], [], [], PAUSE_S)[0]:
        for _, number in zip(range(BURST), numbers, strict=False):
            state = "ON" if number // len(topics) % 2 else "OFF"
            client.publish(topics[number % len(topics)], f'{{"state": "{state}", "brightness": {number % 254}}}')
        sys.stdout.write("more\n")
        sys.stdout.flush()
    client.disconnect()
    client.loop_stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
