"""Agents: registering, resuming, describing and importing them."""

from __future__ import annotations

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from rum.app.caller import Caller, is_ancestor
from rum.app.project import Project
from rum.model.agents import SKILL_FIELDS, Agent, AgentType, Identity
from rum.model.errors import InvalidQuery, NotFound, PermissionDenied
from rum.model.ids import new_id
from rum.model.memory import AutomaticIdentity
from rum.model.requests import IdentityRequest
from rum.store.base import AgentFigures

OWNER = "owner"  # The name of a person, where an author is a name


def identify(caller: Caller, request: IdentityRequest) -> Identity:
    """Register, resume or inform, as asked."""
    if request.action == "register":
        with caller.store.transaction():
            agent = register(caller, request)
        caller.agent = agent
    elif request.action == "resume":
        agent = _resume(caller, request.agent_id or request.name or caller.configured_agent)
        if skills := _given_skills(caller, request):
            agent = replace(agent, metadata={**agent.metadata, **skills})
            caller.store.agents.update(agent.id, metadata=agent.metadata)
        caller.agent = agent
    else:
        return describe(caller.project, _find_agent(caller, request.agent_id or request.name), full=True)
    return describe(caller.project, caller.agent)


def _given_skills(caller: Caller, request: IdentityRequest) -> dict[str, list[str]]:
    """The specialties and capabilities of a request, each once."""
    given = {name: list(dict.fromkeys(getattr(request, name) or ())) for name in SKILL_FIELDS}
    return caller.project.clean({name: each for name, each in given.items() if each})


def register(caller: Caller, request: IdentityRequest) -> Agent:
    """A new agent."""
    is_main = request.type is AgentType.MAIN
    if is_main and request.parent_id:
        raise InvalidQuery("A main agent has no parent; register it as `subagent`.", field="parent_id")
    if not is_main and not request.parent_id:
        raise InvalidQuery("A subagent needs the `parent_id` of a known agent.", field="parent_id")
    parent_id = caller.project.find_id("agent", request.parent_id) if request.parent_id else None
    name = request.name and caller.project.redactor.redact(request.name)
    if name == OWNER:
        caller.check_unconfined(f"be called `{OWNER}`")
    if name and _is_name_taken(caller.project, name):
        raise InvalidQuery(
            f"There is an agent `{name}` in this project already; resume it, or take another name.",
            field="name",
        )
    now = caller.project.now()
    agent = Agent(
        id=new_id("agent"),
        type=request.type,
        project_id=caller.project.location.id,
        created_at=now,
        last_active=now,
        parent_id=parent_id,
        name=name,
        client=caller.client,
        metadata=_given_skills(caller, request),
    )
    caller.store.agents.add(agent)
    return agent


def _is_name_taken(project: Project, name: str) -> bool:
    """Whether an agent has the name; the name of an imported author may be taken by an agent."""
    found = project.store.agents.find_ids(name)
    owner = project.store.agents.get(found[0]) if found else None
    if owner is None or owner.imported_at is None or owner.name != name:
        return bool(found)
    project.store.agents.update(owner.id, name=f"{name}-{owner.id[-8:]}")
    return False


def _resume(caller: Caller, name: str | None) -> Agent:
    agent = _find_agent(caller, name) if name else caller.store.agents.last_main(caller.client)
    if agent is None:
        raise NotFound(f"No earlier main agent of {caller.client} here; use action `register`.")
    if agent.imported_at is not None:
        raise InvalidQuery(f"{agent.id} is an imported author and cannot be resumed.", field="agent_id")
    if caller.is_confined and agent.client != caller.client:
        raise PermissionDenied(
            f"{agent.id} was registered with another token. Register an agent of your own.", agent_id=agent.id
        )
    now = max(agent.last_active, caller.project.now())
    if caller.store.writable:
        caller.store.agents.update(agent.id, last_active=now)
    return replace(agent, last_active=now)


def _find_agent(caller: Caller, name: str | None) -> Agent:
    if name is None:
        if (me := caller.current_agent()) is None:
            raise NotFound("Nobody is registered here yet; give an agent_id, or register.")
        name = me.id
    agent_id = caller.project.find_id("agent", name)
    agent = caller.store.agents.get(agent_id)
    if agent is None:
        raise NotFound(f"No agent `{name}`.")
    return agent


def ensure_agent(caller: Caller, *, active: bool = False) -> tuple[Agent, AutomaticIdentity | None]:
    """The agent that writes; where none has said who it is, the one set, the client's last, or a new one.

    `active` records that it works now, in the same round trip.
    """
    name, agents, agent = caller.configured_agent, caller.store.agents, caller.agent
    if agent is not None:
        is_known = (
            agents.update(agent.id, last_active=caller.project.now()) if active else agents.get(agent.id)
        )
        if is_known:
            return agent, None
    known = _resumable(caller.project, name) if name else agents.last_main(caller.client) is not None
    asked = IdentityRequest(action="register", name=name)
    caller.agent = _resume(caller, name) if known else register(caller, asked)
    return caller.agent, AutomaticIdentity(caller.agent.id, "resumed" if known else "registered")


def caller_name(caller: Caller) -> str | None:
    """The caller's name as it was registered or set, else its client's; None for a person."""
    if caller.agent is not None and caller.agent.name:
        return caller.agent.name
    if caller.configured_agent:
        return caller.configured_agent
    me = caller.current_agent()
    return me.name if me and me.name else None if caller.owner else caller.client


def find_known(caller: Caller, named: str | None) -> Agent | None:
    """An agent given by name or id, the caller if None; None if it is not known."""
    if not named:
        return caller.current_agent()
    found = caller.store.agents.find_ids(named)
    return caller.store.agents.get(found[0]) if len(found) == 1 else None


def agent_name(caller: Caller, named: str | None) -> str | None:
    """The name of an agent given by name or id; of the caller if None."""
    if not named:
        return caller_name(caller)
    agent = find_known(caller, named)
    return (agent.name if agent else None) or named


def author_for(caller: Caller, agent: Agent, target: str) -> Agent:
    """The agent that `agent` writes for: itself or one below it; a person may write for any."""
    found = _find_agent(caller, target)
    if found.imported_at is not None:
        raise InvalidQuery(
            f"{found.id} is an imported author; nobody writes for it.", field="target_agent_id"
        )
    if not (caller.owner or found.id == agent.id or is_ancestor(caller.store.agents, agent.id, found.id)):
        raise PermissionDenied(
            f"{agent.id} cannot store for {found.id}: only that agent and those above it can.",
            agent_id=found.id,
        )
    return found


def resume_or_register(caller: Caller, name: str, parent_id: str | None = None) -> Agent:
    """The agent of this name: resumed, or registered, below another one where that is given."""
    if _resumable(caller.project, name):
        return _resume(caller, name)
    kind = AgentType.SUBAGENT if parent_id else AgentType.MAIN
    return register(caller, IdentityRequest(action="register", type=kind, parent_id=parent_id, name=name))


def _resumable(project: Project, name: str) -> bool:
    found = project.store.agents.find_ids(name)
    agent = project.store.agents.get(found[0]) if len(found) == 1 else None
    return bool(found) and not (agent and agent.imported_at is not None and agent.name == name)


def all_agents(caller: Caller) -> list[Identity]:
    """Every agent of the project, the last active first."""
    known = caller.store.agents.all()
    known.sort(key=lambda agent: (agent.last_active, agent.id), reverse=True)
    figures = caller.store.agents.figures(agent.id for agent in known)
    return [_identity(agent, figures[agent.id], full=True) for agent in known]


def describe(project: Project, agent: Agent, *, full: bool = False) -> Identity:
    """An agent as `identity` answers it."""
    return _identity(agent, project.store.agents.figures([agent.id])[agent.id], full=full)


def _identity(agent: Agent, figures: AgentFigures, *, full: bool) -> Identity:
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
        specialties=agent.skills("specialties") or UNSET,
        capabilities=agent.skills("capabilities") or UNSET,
        children=figures.children if full else UNSET,
        success_rate=rate if full else UNSET,
        sessions=figures.sessions if full else UNSET,
    )


def import_agent(project: Project, agent: Agent) -> None:
    """Keep an agent that is not known here, as one whom nobody can resume."""
    agents = project.store.agents
    if agents.get(agent.id):
        return
    agent = msgspec.convert(project.clean(msgspec.to_builtins(agent)), Agent)
    name = agent.name
    if name and agents.find_ids(name):
        name = f"{name}-{agent.id[-8:]}"
    known_parent = agent.parent_id if agent.parent_id and agents.get(agent.parent_id) else None
    agents.add(
        replace(
            agent,
            name=name,
            parent_id=known_parent,
            project_id=project.location.id,
            imported_at=project.now(),
        )
    )


def import_author(project: Project, agent_id: str, at: int) -> None:
    """See to it that the author of something is known, though the export does not introduce them."""
    if project.store.agents.get(agent_id) is None:
        author = Agent(id=agent_id, type=AgentType.MAIN, project_id="", created_at=at, last_active=at)
        import_agent(project, author)
