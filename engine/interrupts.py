"""Ctrl-C and SIGTERM as an error of ours: one sentence and an exit code, whatever was running."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from engine.errors import Stopped


class _Interrupted(BaseException):
    """Not an Exception, so that nobody on the way takes it for a failure of his own; not KeyboardInterrupt, which click answers itself."""


@contextmanager
def stoppable(outcome: Callable[[], Stopped]) -> Iterator[None]:
    """While the block runs, SIGINT and SIGTERM end it with `outcome()` and the exit code 128 + signal; in the main thread only."""
    received: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        received.append(number)
        signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once, which does no harm either
        raise _Interrupted

    heeded = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) is not signal.SIG_IGN]  # as under nohup
    former = {number: signal.signal(number, stop) for number in heeded}
    try:
        yield
        if received:  # raised where Python ignores exceptions, as in __del__
            raise _Interrupted
    except BaseException:
        if not received:
            raise
        failure = outcome()  # also for the RuntimeError that DuckDB makes of an exception from a signal
        failure.exit_code = 128 + received[0]
        raise failure from None
    finally:
        for number in set(former) - set(received):
            signal.signal(number, former[number])
