"""`rum offers`, `rum useful` and `rum useless`."""

from __future__ import annotations

from rum import Rum
from support.projects import keep
from surfaces.cli.running import Run


def stored(run: Run) -> str:
    with Rum.open() as rum:
        return keep(rum)


def test_without_offers_a_hint_is_printed(run: Run):
    stored(run)
    done = run("offers")
    assert (done.code, done.out) == (0, "")
    assert "No offers yet" in done.err


def test_a_rating_is_recorded(run: Run):
    memory = stored(run)
    assert (
        run("useful", memory[-8:]).out
        == f"Rated memory {memory[-8:]} useful. Its usefulness is now +0.33 (-1 to 1).\n"
    )
    assert run("useless", memory, "--json").json == {
        "id": memory,
        "kind": "memory",
        "useful": False,
        "usefulness": -0.33,
    }
    assert run("useful", "mem_nobody").code != 0


def test_an_unknown_kind_is_a_usage_error(run: Run):
    done = run("offers", "--kind", "advice")
    assert (done.code, "warning" in done.err) == (2, True)
