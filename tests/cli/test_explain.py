"""`exactdp explain`: what it prints of an item, and the picture of the coupling."""

from pathlib import Path

import pytest

from exactdp.spec.errors import InvalidArgument
from exactdp.spec.item import item, items, step
from exactdp.spec.law import Law
from exactdp.spec.standard_laws import discrete_laplace
from exactdp.verify.cli import main
from exactdp.verify.controls import controls
from exactdp.verify.coupling_picture import EXAMPLE, Point, plot_coupling, taken
from exactdp.verify.explain import PICTURED, draw_picture, explain, telling_instance
from exactdp.verify.families import family
from exactdp.verify.mode_picture import plot_release, release_table

PNG = b"\x89PNG\r\n\x1a\n"
HALF, OTHER = Law({0: "1/2", 1: "1/2"}), Law({0: "1/4", 1: "3/4"})


@pytest.mark.parametrize("name", [one.id for one in items()])
def test_every_item_is_explained_with_all_its_steps_and_controls(name: str) -> None:
    text = explain(name)
    found = item(name)
    assert found.title in text.splitlines()[0]
    assert all(line.strip() in text for line in found.statement.splitlines())
    instance = telling_instance(found, family(name))
    assert instance is not None
    assert repr(instance) in text
    assert all(f"  {step(claim.label)} (" in text for claim in found.claims(instance))
    assert all(control.name in text for control in controls(name))


def test_the_instance_has_something_on_the_left_and_room_on_the_right() -> None:
    found = item("prop-2.4")
    instance = telling_instance(found, family("prop-2.4"))
    [conclusion] = [claim for claim in found.claims(instance) if step(claim.label) == "conclusion"]
    assert 0 < conclusion.lhs < conclusion.rhs


def test_an_unknown_item_is_refused_with_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "thm-A.3"]) == 2
    line = capsys.readouterr().err
    assert "item: got 'thm-A.3'" in line
    assert "thm-A.2" in line
    assert line.count("\n") == 1


def test_the_picture_of_the_coupling_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "coupling.png"
    assert main(["explain", PICTURED[0], "--picture", str(picture)]) == 0
    assert picture.read_bytes().startswith(PNG)
    assert item(PICTURED[0]).title in capsys.readouterr().out


def test_an_item_without_a_picture_says_which_have_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "kernel.png"
    assert main(["explain", "def-2.1", "--picture", str(picture)]) == 2
    assert "--picture: got 'def-2.1'" in capsys.readouterr().err
    assert not picture.exists()


@pytest.mark.parametrize(("name", "start"), [("release.png", PNG), ("release.pdf", b"%PDF"), ("release.svg", b"<?xml")])
def test_the_picture_of_the_release_curves_is_drawn(
    name: str, start: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "fact-B.3", "--picture", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_bytes().startswith(start)
    assert item("fact-B.3").title in capsys.readouterr().out


def test_the_release_curves_have_a_picture_of_their_own(tmp_path: Path) -> None:
    drawn = [tmp_path / name for name in ("coupling.png", "again.png", "release.png")]
    for one, picture in zip(("thm-A.2", "def-3.1", "fact-B.3"), drawn, strict=True):
        draw_picture(one, picture)
    coupling, again, release = (picture.read_bytes() for picture in drawn)
    assert coupling == again != release


def test_the_curves_are_drawn_for_other_parameters_and_refused_for_impossible_ones(tmp_path: Path) -> None:
    plot_release(tmp_path / "curves.png", "1/2", "1/100")
    assert (tmp_path / "curves.png").read_bytes().startswith(PNG)
    for epsilon, delta, argument in (("0", "1/100", "epsilon"), ("1/2", "1", "delta"), ("1/2", "0", "delta")):
        with pytest.raises(InvalidArgument, match=argument):
            plot_release(tmp_path / "none.png", epsilon, delta)
    assert not (tmp_path / "none.png").exists()


def test_the_stable_mode_is_explained_with_a_table_of_its_three_curves() -> None:
    lines = [line.strip() for line in explain("fact-B.3").splitlines()]
    assert all(line in lines for line in release_table())
    assert "ln(2)    1/100      noisy threshold       0.00520833   27            0.00520833     27" in lines
    assert "ln(5/2)  1/9        noisy threshold       0.0457143    11            0.0457143      10 *" in lines
    assert "Compared:" not in explain("prop-2.4")


def test_every_pictured_item_is_an_item() -> None:
    assert [name for name in PICTURED if item(name).id != name] == []


def test_each_law_takes_the_first_point_below_its_mass() -> None:
    points = [Point(1, 1, 0.5, 0.9), Point(2, 1, 0.5, 0.6), Point(3, 0, 0.5, 0.3), Point(4, 0, 0.5, 0.1)]
    assert taken([[0.5, 0.5], [0.25, 0.75]], points) == [2, 1]
    assert taken([[0.5, 0.5], [0.25, 0.75]], points[:1]) == [None, None]


@pytest.mark.parametrize("laws", [(HALF, OTHER), EXAMPLE, (HALF, HALF), (Law({0: 1}), Law({1: 1}))])
def test_two_or_three_laws_are_drawn_equal_and_apart_ones_too(laws: tuple[Law, ...], tmp_path: Path) -> None:
    plot_coupling(laws, tmp_path / "laws.png")
    assert (tmp_path / "laws.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize("laws", [(HALF,), (HALF,) * 4, (HALF, discrete_laplace(1))])
def test_other_numbers_of_laws_and_countable_ones_are_refused(laws: tuple[Law, ...], tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="laws: got"):
        plot_coupling(laws, tmp_path / "laws.png")
    assert not (tmp_path / "laws.png").exists()
