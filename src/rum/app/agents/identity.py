"""Who is asking: registering, resuming and describing agents."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from rum.app.project import Context
from rum.model.agents import Agent, AgentType, Identity
from rum.model.errors import InvalidQuery, NotFound
from rum.model.ids import new_id
from rum.model.memory import Who
from rum.model.questions import IdentityQuestion


def identify(context: Context, question: IdentityQuestion) -> Identity:
    """Register, resume or inform, as asked."""
    if question.action == "register":
        with context.store.transaction():
            agent = register(context, question)
        context.agent = agent
    elif question.action == "resume":
        context.agent = _resume(context, question.agent_id or question.name or context.settings.agent)
    else:
        return describe(context, _known(context, question.agent_id or question.name), full=True)
    return describe(context, context.agent)


def register(context: Context, question: IdentityQuestion) -> Agent:
    """A new agent."""
    parent_id = _parent(context, question)
    name = question.name and context.redactor.redact(question.name)
    if name and _taken(context, name):
        raise InvalidQuery(
            f"There is an agent `{name}` in this project already; resume it, or take another name.",
            field="name",
        )
    now = context.now()
    agent = Agent(
        id=new_id("agent"),
        type=question.type,
        project_id=context.project.id,
        created_at=now,
        last_active=now,
        parent_id=parent_id,
        name=name,
        client=context.client,
    )
    context.store.agents.add(agent)
    return agent


def _taken(context: Context, name: str) -> bool:
    """Whether somebody here has the name; an imported author gives it up to whoever works here."""
    found = context.store.agents.named(name)
    owner = context.store.agents.get(found[0]) if found else None
    if owner is None or owner.imported_at is None or owner.name != name:
        return bool(found)
    context.store.agents.rename(owner.id, f"{name}-{owner.id[-8:]}")
    return False


def _parent(context: Context, question: IdentityQuestion) -> str | None:
    if question.type is AgentType.MAIN:
        if question.parent_id:
            raise InvalidQuery("A main agent has no parent; register it as `subagent`.", field="parent_id")
        return None
    if not question.parent_id:
        raise InvalidQuery("A subagent needs the `parent_id` of a known agent.", field="parent_id")
    return context.one("agent", question.parent_id, context.store.agents.named(question.parent_id))


def _resume(context: Context, name: str | None) -> Agent:
    agent = _known(context, name) if name else context.store.agents.last_main(context.client)
    if agent is None:
        raise NotFound(f"No earlier main agent of {context.client} here; use action `register`.")
    if agent.imported_at is not None:
        raise InvalidQuery(f"{agent.id} is an imported author and cannot be resumed.", field="agent_id")
    now = max(agent.last_active, context.now())
    if context.store.writable:
        context.store.agents.touch(agent.id, now)
    return replace(agent, last_active=now)


def _known(context: Context, name: str | None) -> Agent:
    if name is None:
        if (me := context.acting()) is None:
            raise NotFound("Nobody is registered here yet; give an agent_id, or register.")
        name = me.id
    agent_id = context.one("agent", name, context.store.agents.named(name))
    agent = context.store.agents.get(agent_id)
    if agent is None:
        raise NotFound(f"No agent `{name}`.")
    return agent


def somebody(context: Context) -> tuple[Agent, Who | None]:
    """The agent that writes; where none has said who it is, the one set, the client's last, or a new one."""
    if context.agent is not None and context.store.agents.get(context.agent.id):
        return context.agent, None
    name, agents = context.settings.agent, context.store.agents
    known = _resumable(context, name) if name else agents.last_main(context.client) is not None
    asked = IdentityQuestion(action="register", name=name)
    context.agent = _resume(context, name) if known else register(context, asked)
    return context.agent, Who(context.agent.id, "resumed" if known else "registered")


def name_of_who_acts(context: Context) -> str | None:
    """The name of the agent that acts: as it was registered or set, else its client's; None for a person."""
    if context.agent is not None and context.agent.name:
        return context.agent.name
    if context.settings.agent:
        return context.settings.agent
    me = context.acting()
    return me.name if me and me.name else None if context.owner else context.client


def known_as(context: Context, name: str, parent_id: str | None = None) -> Agent:
    """The agent of this name: resumed, or registered, below another one where that is given."""
    if _resumable(context, name):
        return _resume(context, name)
    kind = AgentType.SUBAGENT if parent_id else AgentType.MAIN
    return register(context, IdentityQuestion(action="register", type=kind, parent_id=parent_id, name=name))


def _resumable(context: Context, name: str) -> bool:
    found = context.store.agents.named(name)
    agent = context.store.agents.get(found[0]) if len(found) == 1 else None
    return bool(found) and not (agent and agent.imported_at is not None and agent.name == name)


def describe(context: Context, agent: Agent, *, full: bool = False) -> Identity:
    """An agent as `identity` answers it."""
    figures = context.store.agents.figures(agent.id)
    rate = round(figures.successes / figures.memories, 3) if figures.memories else None
    return Identity(
        agent_id=agent.id,
        type=agent.type,
        created_at=agent.created_at,
        memory_count=figures.memories,
        last_active=agent.last_active,
        name=agent.name or UNSET,
        parent_id=agent.parent_id or UNSET,
        client=agent.client or UNSET,
        children=figures.children if full else UNSET,
        success_rate=rate if full else UNSET,
        sessions=figures.sessions if full else UNSET,
    )
