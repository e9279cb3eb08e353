"""Where random bits come from: the operating system, a seed for demonstrations, or a tape that a test has
written.

Everything that is sampled reads uniform integers from a `BitSource` and nothing else, so the bits of a run
are known.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from hashlib import shake_256
from typing import Protocol, runtime_checkable
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from exactdp.spec.errors import ExactDPError, InvalidArgument

BLOCK_WORDS = 1024

_process = os.getpid


class BitSource(Protocol):
    """A stream of independent fair bits."""

    def bits(self, count: int) -> int:
        """The next `count` bits as an integer, uniform in [0, 2^count), the first bit on top."""
        ...


@runtime_checkable
class WordSource(Protocol):
    """A bit source that also hands out many 64-bit words at once."""

    def bits(self, count: int) -> int:
        """As in `BitSource`."""
        ...

    def words(self, count: int) -> NDArray[np.uint64]:
        """Fresh independent words, each uniform in [0, 2^64)."""
        ...


class TapeExhausted(ExactDPError):
    """A program wants more bits than its tape holds; `wanted` says how many are missing."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        super().__init__(f"the tape is {wanted} bits too short")


class Tape:
    """A finite, written sequence of bits, for enumerating what a sampler does; `used` counts the bits read.

    >>> tape = Tape([1, 0, 1, 1])
    >>> tape.bits(3), tape.used
    (5, 3)
    """

    private = False

    def __init__(self, bits: Sequence[int]) -> None:
        if any(bit not in (0, 1) for bit in bits):
            raise InvalidArgument("bits", bits, "zeros and ones")
        self._bits = tuple(bits)
        self.used = 0

    def bits(self, count: int) -> int:
        """The next `count` bits. Raises `TapeExhausted`, and reads nothing, when fewer are left."""
        end = self.used + _count(count)
        if end > len(self._bits):
            raise TapeExhausted(end - len(self._bits))
        value = 0
        for bit in self._bits[self.used : end]:
            value = value << 1 | bit
        self.used = end
        return value


class _Buffered(ABC):
    """Bits cut from 64-bit words, fetched a block at a time; a used word leaves the buffer."""

    __slots__ = ("__weakref__", "_next")

    def __init__(self) -> None:
        self._next: list[int] = []

    @abstractmethod
    def _fresh(self, count: int) -> bytes:
        """The next `count` bytes of the stream."""

    def bits(self, count: int) -> int:
        """The next `count` bits; whole words are spent, and what is left of the last one is thrown away."""
        if 0 <= count <= 64:
            try:
                return self._next.pop() >> (64 - count)
            except IndexError:
                fresh = self.words(BLOCK_WORDS).tolist()
                word: int = fresh.pop()
                self._next = fresh
                return word >> (64 - count)
        size = (_count(count) + 7) // 8
        return int.from_bytes(self._fresh(size), "little") >> (8 * size - count)

    def words(self, count: int) -> NDArray[np.uint64]:
        """Fresh words, each uniform in [0, 2^64). Raises `InvalidArgument` for a negative count."""
        return np.frombuffer(self._fresh(8 * _count(count)), dtype="<u8")


_TO_FORGET: WeakSet["OsEntropy"] = WeakSet()


class OsEntropy(_Buffered):
    """The operating system's cryptographic randomness, buffered.

    The buffer belongs to one process: a forked child, a copy and an unpickled source all start empty, so no
    two of them ever share a bit. Used words are dropped from the buffer; the interpreter's memory itself is
    not overwritten.
    """

    __slots__ = ("_pid",)
    private = True

    def __init__(self) -> None:
        super().__init__()
        self._pid = os.getpid()
        _TO_FORGET.add(self)

    def forget(self) -> None:
        """Throw the buffered words away."""
        self._next = []
        self._pid = os.getpid()

    def bits(self, count: int) -> int:
        """The next `count` bits; never bits that another process has seen."""
        if _process() != self._pid:
            self.forget()
        if 0 <= count <= 64:
            try:
                return self._next.pop() >> (64 - count)
            except IndexError:
                pass
        return super().bits(count)

    def _fresh(self, count: int) -> bytes:
        return os.urandom(count)

    def __reduce__(self) -> tuple[type["OsEntropy"], tuple[()]]:
        return OsEntropy, ()


def _forget_all() -> None:
    for source in _TO_FORGET:
        source.forget()


if hasattr(os, "register_at_fork"):
    # Beside the comparison of process numbers, which may repeat in a grandchild.
    os.register_at_fork(after_in_child=_forget_all)


class Seeded(_Buffered):
    """Reproducible bits for demonstrations: SHAKE-256 of the seed and a counter.

    Not private: who knows or guesses the seed knows every bit.

    >>> Seeded(7).bits(16) == Seeded(7).bits(16), Seeded(7).bits(64) == Seeded("7").bits(64)
    (True, False)
    """

    __slots__ = ("_block", "_key", "seed")
    private = False

    def __init__(self, seed: int | str | bytes) -> None:
        super().__init__()
        if isinstance(seed, bool) or not isinstance(seed, (int, str, bytes)):
            raise InvalidArgument("seed", seed, "an int, a text or bytes")
        self.seed = seed
        self._key = shake_256(repr(seed).encode()).digest(32)
        self._block = 0

    def _fresh(self, count: int) -> bytes:
        self._block += 1
        return shake_256(self._key + self._block.to_bytes(16, "little")).digest(count)


def _count(count: int) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise InvalidArgument("count", count, "a whole number that is not negative")
    return count
