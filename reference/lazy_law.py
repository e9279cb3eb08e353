"""Laws that are drawn without their masses, and whose masses are computed when one is first asked for."""

from abc import abstractmethod

from exactdp.spec.law import Law

PARTS = frozenset({"_index", "masses", "families"})


class LazyLaw(Law):
    """A law whose masses may be far too many to write out; drawing from it needs none of them."""

    @abstractmethod
    def written_out(self) -> Law:
        """The same law with all its masses."""

    def __getattr__(self, name: str) -> object:
        if name not in PARTS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        law = self.written_out()
        self._index, self.masses, self.families = dict(law.atoms), law.masses, law.families
        return self.__dict__[name]
