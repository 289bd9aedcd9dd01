"""The one way in of every importer: in batches, counted, to be broken off and run again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from rum.app.caller import Caller
from rum.app.imports.batch import BATCH, Imported, Piece, Source, Tally, import_pieces
from rum.model.ids import id_of
from rum.model.memory import Memory
from support.builders import make_memory
from support.exports import memories
from support.projects import Shop

ANN = id_of("agent", "ann")


def paper(number: int) -> str:
    return id_of("mem", f"paper {number}", number)


class Papers(Source[int]):
    """A source: numbered papers by Ann, of which every tenth is blank; `torn` cannot be read."""

    client = "papers"

    def __init__(self, total: int, torn: int | None = None) -> None:
        self.total = total
        self.torn = torn
        self.tied: list[str] = []

    def pieces(self) -> Iterator[Piece[int] | str]:
        """The papers, or why one is left out."""
        for number in range(self.total):
            if number == self.torn:
                raise OSError(number)
            yield "blank" if number % 10 == 9 else self._piece(number)

    def update_existing(self, old: Memory, piece: Piece[int]) -> str:
        """The same as long as it is called the same."""
        return "unchanged" if old.intent.goal == piece.memory.intent.goal else "different"

    def link(self, pieces: Sequence[Piece[int]], counts: Counter[str]) -> None:
        """Each paper is signed."""
        self.tied += [f"{piece.origin}" for piece in pieces]
        counts["signed"] += len(pieces)

    def _piece(self, number: int) -> Piece[int]:
        memory = make_memory(paper(number), f"Paper {number}", agent_id=ANN, created_at=number)
        return Piece(memory, "Ann", number)


class Signed(Imported, frozen=True, kw_only=True):
    """An answer with a count of its own."""

    signed: int = 0


@pytest.fixture
def caller(shop: Shop) -> Caller:
    return shop.open(owner=True)._caller  # pyright: ignore[reportPrivateUsage]


def taken(caller: Caller, source: Papers, told: list[tuple[int, int]] | None = None) -> Signed:
    tally = Tally()
    import_pieces(
        caller, source, tally, lambda done, total: told.append((done, total)) if told is not None else None
    )
    return tally.answer(Signed)


def test_everything_is_kept_and_counted(caller: Caller):
    told: list[tuple[int, int]] = []
    source = Papers(2 * BATCH + 50)
    answer = taken(caller, source, told)
    assert (answer.added, answer.skipped, answer.signed) == (405, {"blank": 45}, 405)
    assert (answer.unchanged, answer.forgotten) == (0, 0)
    assert told == [(0, 450), (200, 450), (400, 450), (450, 450)]
    assert len(source.tied) == caller.project.store.memories.count() == 405
    (ann,) = caller.project.store.agents.all()
    assert (ann.name, ann.client, ann.created_at, ann.last_active) == ("Ann", "papers", 0, 448)


def test_what_is_here_is_left_to_the_source_to_judge(caller: Caller):
    taken(caller, Papers(5))
    caller.project.store.memories.replace(make_memory(paper(3), "Changed", agent_id=ANN))
    answer = taken(caller, Papers(7))
    assert (answer.added, answer.unchanged, answer.different, answer.signed) == (2, 4, 1, 2)


def test_what_was_forgotten_stays_so(shop: Shop, caller: Caller):
    taken(caller, Papers(5))
    rum = shop.open(owner=True)
    rum.forget(paper(3))
    answer = taken(caller, Papers(5))
    assert (answer.added, answer.unchanged, answer.forgotten) == (0, 4, 1)
    assert "Paper 3" not in memories(rum)


def test_an_interrupted_import_is_completed_by_the_next(caller: Caller):
    with pytest.raises(OSError, match="250"):
        taken(caller, Papers(450, torn=250))
    assert caller.project.store.memories.count() == 180
    answer = taken(caller, Papers(450))
    assert (answer.added, answer.unchanged, answer.signed) == (225, 180, 225)
    assert taken(caller, Papers(450)).unchanged == 405
