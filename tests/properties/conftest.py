"""What the properties share: a test that hangs ends, whatever the program under test catches."""

import signal
from collections.abc import Iterator

import pytest


class Hangs(BaseException):
    """A test ran for too long."""


@pytest.fixture
def nothing_hangs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Ends a test after 10 seconds of computation, or 40 when it tries many examples."""

    def stop(*_: object) -> None:
        raise Hangs("stopped: the test ran for too long")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, 40 if hasattr(request.function, "hypothesis") else 10)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)
