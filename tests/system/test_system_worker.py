"""A worker: one thing after the other, what waits may be given up, and whatever fails belongs to whoever asked."""

import subprocess
import sys
import threading

import pytest

from daemon.system.worker import Worker


class Panic(BaseException):
    """What an engine may raise that is no error of Python's."""


def test_one_thing_after_the_other_is_done_and_the_thread_ends_with_the_last() -> None:
    worker, done, let_go = Worker("test"), list[int](), threading.Event()
    first = worker.submit(let_go.wait)
    tasks = [worker.submit(lambda number=number: done.append(number)) for number in range(5)]  # type: ignore[misc]
    assert done == []
    let_go.set()
    assert first.result(30)
    assert [task.result(30) for task in tasks] == [None] * 5
    assert done == [0, 1, 2, 3, 4]
    worker.close(30)
    assert worker._thread is None
    assert worker.submit(lambda: 7).result(30) == 7


@pytest.mark.parametrize("error", [ValueError("no"), Panic("deep inside"), SystemExit(3)])
def test_what_fails_fails_for_whoever_asked_and_the_next_is_done(error: BaseException) -> None:
    def fail() -> None:
        raise error

    worker = Worker("test")
    failed, following = worker.submit(fail), worker.submit(lambda: "done")
    assert failed.exception(30) is error
    assert following.result(30) == "done"


def test_what_waits_is_given_up_and_what_hangs_is_waited_for_no_longer_than_said() -> None:
    worker, begun, let_go = Worker("test"), threading.Event(), threading.Event()

    def hang() -> bool:
        begun.set()
        return let_go.wait(30)

    hanging, waiting, other = worker.submit(hang), worker.submit(lambda: 1), worker.submit(lambda: 2)
    assert begun.wait(30)
    assert waiting.cancel()
    worker.close(0.01)
    assert other.cancelled()
    assert not hanging.cancel()
    let_go.set()
    assert hanging.result(30)


def test_a_machine_without_threads_is_no_reason_to_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    worker = Worker("test")
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        assert isinstance(worker.submit(lambda: 1).exception(30), RuntimeError)
    assert worker.submit(lambda: 2).result(30) == 2


_ENDS = """
import threading, daemon.__main__ as command
from daemon.system.worker import Worker
Worker("engine").submit(threading.Event().wait)
command.main = lambda: print("what was wrong", end="") or 2
command.script()
"""


def test_what_hangs_keeps_no_process_from_ending_with_its_words_and_its_code() -> None:
    ended = subprocess.run([sys.executable, "-c", _ENDS], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "what was wrong", "")
