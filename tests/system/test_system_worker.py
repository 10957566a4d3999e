"""A worker: one thing after the other, what waits may be given up, and whatever fails belongs to whoever asked."""

import contextlib
import gc
import subprocess
import sys
import threading

import pytest

from daemon.system.worker import Derived, Worker, resting


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
from daemon.system.worker import Derived, Worker, resting
Worker("engine").submit(threading.Event().wait)
command.main = lambda: print("what was wrong", end="") or 2
command.script()
"""


def test_what_hangs_keeps_no_process_from_ending_with_its_words_and_its_code() -> None:
    ended = subprocess.run([sys.executable, "-c", _ENDS], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "what was wrong", "")


class Changing:
    """Something that changes, and what is made of it, which may be held up."""

    def __init__(self) -> None:
        self.version = 0
        self.made: list[int] = []
        self.begun, self.let_go = threading.Event(), threading.Event()
        self.let_go.set()
        self.derived = Derived(lambda: self.version, self._make)

    def _make(self) -> str:
        version = self.version
        self.begun.set()
        assert self.let_go.wait(30)
        self.made.append(version)
        return f"of {version}"

    def change(self) -> None:
        self.version += 1
        self.begun.clear()
        self.let_go.clear()


def test_what_follows_is_made_once_for_each_change_that_somebody_asks_after() -> None:
    home = Changing()
    assert [home.derived.get(), home.derived.renewed(), home.derived.get()] == ["of 0"] * 3
    home.version = 2
    assert [home.derived.get(), home.derived.renewed()] == ["of 2"] * 2
    assert home.made == [0, 2]


def test_while_it_is_made_in_one_thread_all_others_have_the_one_before() -> None:
    home, worker = Changing(), Worker("test")
    home.derived.get()
    home.change()
    renewed = worker.submit(home.derived.renewed)
    assert home.begun.wait(30)
    assert home.derived.get() == "of 0"
    home.let_go.set()
    assert renewed.result(30) == home.derived.get() == "of 1"
    assert home.made == [0, 1]


def test_who_wants_it_as_it_is_now_waits_and_gets_what_changed_meanwhile_too() -> None:
    home, first, second = Changing(), Worker("one"), Worker("other")
    home.derived.get()
    home.change()
    begun = first.submit(home.derived.renewed)
    assert home.begun.wait(30)
    home.version += 1
    late = second.submit(home.derived.renewed)
    home.let_go.set()
    assert (begun.result(30), late.result(30)) == ("of 1", "of 2")
    assert home.made == [0, 1, 2]


def test_the_collector_rests_and_goes_on_after_a_mistake() -> None:
    during = []
    with contextlib.suppress(ValueError), resting():
        during.append(gc.isenabled())
        raise ValueError
    assert (during, gc.isenabled()) == ([False], True)
