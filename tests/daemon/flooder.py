"""A client that says the same few hundred things on many topics, ten thousand a second, until its input ends.

python flooder.py PORT USER PASSWORD TOPIC... - tells on standard output when it has begun.
"""

import select
import sys
import time

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

A_SECOND = 10_000


def main(port: str, user: str, password: str, *topics: str) -> None:
    client = Client(CallbackAPIVersion.VERSION2)
    client.username_pw_set(user, password)
    client.connect("127.0.0.1", int(port))
    client.loop_start()
    begun = time.monotonic()
    sent = 0
    while not select.select([sys.stdin], [], [], 0.002)[0]:
        for number in range(sent, int((time.monotonic() - begun) * A_SECOND)):
            state = "ON" if number // len(topics) % 2 else "OFF"
            client.publish(topics[number % len(topics)], f'{{"state": "{state}", "brightness": {number % 254}}}')
            sent = number + 1
        if sent:
            sys.stdout.write(f"{sent}\n")
            sys.stdout.flush()
    client.disconnect()
    client.loop_stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
