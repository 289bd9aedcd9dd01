"""Who is asking: registering, resuming, informing, and acting by name."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rum import InvalidQuery, NotFound, PermissionDenied, Rum
from support.builders import NOON, make_draft, make_outcome
from support.projects import Shop, keep


class TestRegister:
    def test_a_main_agent(self, rum: Rum) -> None:
        agent = rum.identity("register", name="developer")
        assert agent.agent_id.startswith("agent_")
        assert (agent.type, agent.name, agent.client) == ("main", "developer", "python")
        assert (agent.created_at, agent.last_active, agent.memory_count) == (NOON, NOON, 0)

    def test_a_subagent_of_a_known_agent(self, rum: Rum) -> None:
        main = rum.identity("register", name="developer")
        for parent in (main.agent_id, main.agent_id[-8:], "developer"):
            sub = rum.identity("register", type="subagent", parent_id=parent)
            assert (sub.type, sub.parent_id) == ("subagent", main.agent_id)

    @pytest.mark.parametrize(
        ("question", "error", "field"),
        [
            ({"type": "subagent"}, InvalidQuery, "parent_id"),
            ({"type": "subagent", "parent_id": "agent_00000000000000000000000000"}, NotFound, "id"),
            ({"type": "main", "parent_id": "agent_00000000000000000000000000"}, InvalidQuery, "parent_id"),
            ({"name": ""}, InvalidQuery, "name"),
            ({"name": "x" * 81}, InvalidQuery, "name"),
        ],
    )
    def test_what_cannot_be(self, rum: Rum, question: Any, error: type[NotFound], field: str) -> None:
        with pytest.raises(error) as caught:
            rum.identity("register", **question)
        assert field in (caught.value.details.get("field"), *caught.value.details)
        assert rum.agents() == []

    def test_a_name_is_unique_in_the_project(self, rum: Rum, shop: Shop) -> None:
        rum.identity("register", name="developer")
        with pytest.raises(InvalidQuery, match="already"):
            shop.open().identity("register", name="developer")
        other = shop.folder.parent / "other"
        other.mkdir()
        assert shop.open(path=other).identity("register", name="developer").name == "developer"

    def test_from_then_on_it_is_who_stores(self, rum: Rum) -> None:
        rum.identity("register", name="one")
        agent = rum.identity("register", name="two")
        stored = rum.store(**make_draft())
        assert rum.show(stored.memory_id).agent_id == agent.agent_id
        assert not stored.identity


class TestResume:
    def test_without_an_id_the_last_main_agent_of_the_same_client(self, shop: Shop) -> None:
        first = shop.open(client="editor").identity("register")
        shop.clock.forward(10)
        second = shop.open(client="editor").identity("register")
        shop.clock.forward(10)
        sub = shop.open(client="editor").identity("register", type="subagent", parent_id=second.agent_id)
        shop.open(client="terminal").identity("register")
        again = shop.open(client="editor")
        assert again.identity("resume").agent_id == second.agent_id
        shop.clock.forward(10)
        again.identity("resume", agent_id=first.agent_id)
        assert shop.open(client="editor").identity("resume").agent_id == first.agent_id
        assert sub.agent_id not in (first.agent_id, second.agent_id)

    def test_by_id_tail_or_name(self, rum: Rum, shop: Shop) -> None:
        agent = rum.identity("register", name="developer")
        for how in ({"agent_id": agent.agent_id}, {"agent_id": agent.agent_id[-8:]}, {"name": "developer"}):
            assert shop.open(client="other").identity("resume", **how).agent_id == agent.agent_id

    def test_a_subagent_may_be_resumed_by_id(self, rum: Rum, shop: Shop) -> None:
        main = rum.identity("register")
        sub = rum.identity("register", type="subagent", parent_id=main.agent_id)
        resumed = shop.open().identity("resume", agent_id=sub.agent_id)
        assert (resumed.agent_id, resumed.type) == (sub.agent_id, "subagent")

    def test_nobody_to_resume(self, rum: Rum) -> None:
        with pytest.raises(NotFound, match="register"):
            rum.identity("resume")
        with pytest.raises(NotFound):
            rum.identity("resume", agent_id="developer")

    def test_an_imported_author_is_never_resumed(self, rum: Rum, shop: Shop) -> None:
        author = rum.identity("register", name="developer")
        keep(rum)
        elsewhere = shop.open(home=shop.home.parent / "elsewhere")
        elsewhere.import_lines(rum.export())
        with pytest.raises(NotFound):
            elsewhere.identity("resume")
        for how in ({"agent_id": author.agent_id}, {"name": "developer"}):
            with pytest.raises(InvalidQuery, match="imported"):
                elsewhere.identity("resume", **how)
        assert elsewhere.store(**make_draft("New")).identity.action == "registered"  # type: ignore[union-attr]

    def test_being_active_is_noted(self, rum: Rum, shop: Shop) -> None:
        rum.identity("register")
        shop.clock.forward(60)
        keep(rum)
        assert rum.identity("info").last_active == NOON + 60


class TestInfo:
    def test_children_success_rate_and_sessions(self, shop: Shop) -> None:
        rum = shop.open(agent="ann", session="s-1")
        keep(rum)
        keep(rum, "Failed", outcome=make_outcome(success=False))
        ann = rum.identity("info")
        keep(shop.open(agent="ann", session="s-2"), "Later")
        sub = rum.identity("register", type="subagent", parent_id=ann.agent_id)
        info = rum.identity("info", agent_id="ann")
        assert (info.memory_count, info.sessions, info.children) == (3, 2, [sub.agent_id])
        assert info.success_rate == pytest.approx(2 / 3, abs=0.001)
        assert rum.identity("info").agent_id == sub.agent_id

    def test_an_agent_without_memories_has_no_success_rate(self, rum: Rum) -> None:
        rum.identity("register")
        info = rum.identity("info")
        assert (info.success_rate, info.sessions, info.children) == (None, 0, [])

    def test_before_anybody_registered(self, rum: Rum) -> None:
        with pytest.raises(NotFound):
            rum.identity("info")

    def test_in_a_new_process_it_is_whom_a_store_would_resume(self, rum: Rum, shop: Shop) -> None:
        keep(rum)
        assert shop.open().identity("info").agent_id == rum.identity("info").agent_id


class TestActing:
    def test_a_first_store_registers_and_says_so(self, rum: Rum) -> None:
        first, second = rum.store(**make_draft()), rum.store(**make_draft("Next"))
        assert first.identity
        assert first.identity.action == "registered"
        assert first.identity.agent_id == rum.show(second.memory_id).agent_id
        assert not second.identity

    def test_a_first_store_in_a_new_process_resumes_and_says_so(self, rum: Rum, shop: Shop) -> None:
        kept = keep(rum)
        stored = shop.open().store(**make_draft("Next"))
        assert stored.identity
        assert (stored.identity.action, stored.identity.agent_id) == ("resumed", rum.show(kept).agent_id)

    def test_a_name_is_registered_once_and_then_resumed(self, shop: Shop) -> None:
        answers = [shop.open(agent="dev", client=client).store(**make_draft()) for client in ("one", "two")]
        actions = [answer.identity.action for answer in answers if answer.identity]
        assert actions == ["registered", "resumed"]
        assert [agent.name for agent in shop.open().agents()] == ["dev"]

    def test_reading_under_a_new_name_registers_nobody(self, shop: Shop) -> None:
        keep(shop.open(agent="dev"))
        reader = shop.open(agent="tpyo")
        assert reader.list().memories == []
        assert len(reader.recall(query="login").memories) == 1
        assert [agent.name for agent in reader.agents()] == ["dev"]

    def test_a_secret_is_no_name(self, rum: Rum) -> None:
        secret = "ghp_" + "a1B2c3D4e5F6" * 3
        assert secret not in str(rum.identity("register", name=secret).name)


class TestSkills:
    def test_they_are_kept_shown_and_replaced_on_resume(self, rum: Rum, shop: Shop) -> None:
        made = rum.identity("register", name="developer", specialties=["auth", "auth"], capabilities=["sql"])
        assert (made.specialties, made.capabilities) == (("auth",), ("sql",))
        shop.open().identity("resume", name="developer", capabilities=["css", "html"])
        shop.open().identity("resume", name="developer")
        info = shop.open().identity("info", name="developer")
        assert (info.specialties, info.capabilities) == (("auth",), ("css", "html"))

    def test_without_any_they_are_not_shown(self, rum: Rum) -> None:
        assert "specialties" not in msgspec.to_builtins(rum.identity("register", name="developer"))

    def test_a_secret_in_them_is_cut_out(self, rum: Rum) -> None:
        made = rum.identity("register", specialties=["ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"])
        assert "REDACTED" in str(made.specialties)


class TestOnBehalf:
    def test_an_agent_stores_for_those_below_it(self, shop: Shop) -> None:
        main, sub, grandchild = family(shop)
        for target in (sub, grandchild, "tester"):
            stored = main.store(**make_draft(), target_agent_id=target)
            assert main.show(stored.memory_id).agent_id == (sub if target == "tester" else target)
        assert main.identity("info", agent_id=sub).memory_count == 2
        assert main.identity("info").name == "developer"

    def test_no_agent_stores_for_one_above_or_beside_it(self, shop: Shop) -> None:
        main, sub, _ = family(shop)
        below = shop.open(agent="tester")
        other = shop.open(agent="other")
        other.identity("register", name="other")
        for rum, target in ((below, "developer"), (other, sub), (main, "other")):
            with pytest.raises(PermissionDenied):
                rum.store(**make_draft(), target_agent_id=target)
        assert below.store(**make_draft(), target_agent_id="tester").memory_id
        assert main.identity("info", agent_id="tester").memory_count == 1

    def test_an_unknown_agent_is_refused_and_nobody_is_registered(self, rum: Rum) -> None:
        with pytest.raises(NotFound):
            rum.store(**make_draft(), target_agent_id="nobody")
        with pytest.raises(InvalidQuery):
            rum.call("store", {**make_draft(), "target_agent_id": 7})
        assert rum.agents() == []


def family(shop: Shop) -> tuple[Rum, str, str]:
    """A main agent, a subagent of it, and one below that."""
    main = shop.open(agent="developer")
    parent = main.identity("register", name="developer")
    sub = shop.open().identity("register", type="subagent", parent_id=parent.agent_id, name="tester")
    child = shop.open().identity("register", type="subagent", parent_id=sub.agent_id)
    return main, sub.agent_id, child.agent_id


def test_an_agent_without_a_name_is_labelled_by_its_client(rum: Rum) -> None:
    assert rum.identity("register").label == "python"
    assert rum.identity("register", name="developer").label == "developer"
