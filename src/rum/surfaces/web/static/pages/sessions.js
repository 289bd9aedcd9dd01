import { compact, count, html, useState, words } from "../parts/base.js";
import { at, useLoad, usePages } from "../parts/api.js";
import { OfferList } from "../parts/offers.js";
import { Inline } from "../parts/markdown.js";
import { link } from "../parts/route.js";
import { clock, exact, isoDay, Time } from "../parts/time.js";
import { Empty, Facts, Head, Loaded, Paged } from "../parts/ui.js";

export const title = (route) => (route.page === "session" ? "Session" : "Sessions");

export function Page({ route }) {
  if (route.page === "session") return html`<${Session} key=${route.parts.join("/")} client=${route.parts[0]} session=${route.parts[1]} part=${route.parts[2] ?? ""} />`;
  return html`<${List} />`;
}

function List() {
  const pages = usePages("sessions", { limit: 50 });
  return html`<${Head} title="Sessions" kicker="What was captured, what was given, and what it cost" />
    <${Paged} pages=${pages} what="session" empty=${html`<${Empty} title="No sessions yet.">Run <code>rum install</code>; the next session of your agent appears here.<//>`}>
      ${(items) => html`<div class="scroll"><table class="list">
        <thead>
          <tr><th scope="col">last active</th><th scope="col">session</th><th scope="col" class="number">tokens given</th><th scope="col" class="number">offers</th><th scope="col" class="number">followed</th><th scope="col" class="number">turns</th><th scope="col" class="number">memories</th><th scope="col">client</th></tr>
        </thead>
        <tbody>
          ${items.map(
            (one) => html`<tr key=${one.client + one.session}>
              <td class="nowrap"><${Time} at=${one.last} /></td>
              <td><a data-item class="clamp" href=${link("session", one.client, one.session)} title=${one.session}><${Inline} text=${one.about ?? one.session} /></a>${one.open_turns > 0 && html` <span class="label">open</span>`}</td>
              <td class="number">${compact(one.tokens)}</td>
              <td class="number">${one.offers}</td>
              <td class="number">${one.followed}</td>
              <td class="number">${one.turns}</td>
              <td class="number">${one.memories}</td>
              <td class="nowrap">${one.client}</td>
            </tr>`,
          )}
        </tbody>
      </table></div>`}
    <//>`;
}

const BECAME = { memory: "became a memory", pending: "waits for review", completed: "completed an earlier memory", nothing: "nothing to remember", forgotten: "was forgotten before", open: "not over yet" };

function Session({ client, session, part }) {
  const load = useLoad(at("sessions", client, session));
  const here = (name) => link(...["session", client, session, name].filter(Boolean));
  return html`<${Loaded} load=${load} title="Session">
    ${(data) => {
      const turns = data.turns.length + (data.left_out ?? 0);
      return html`<${Head} title=${html`<${Inline} text=${data.turns.at(-1)?.prompt ?? "Session"} />`} kicker=${html`Session <span class="path">${session}</span> · ${client} · ${exact(data.first)} to ${isoDay(data.first) === isoDay(data.last) ? clock(data.last) : exact(data.last)}`} />
      <dl class="figures">
        <div><dt>${turns === 1 ? "turn" : "turns"}</dt><dd>${turns}</dd></div>
        <div><dt>became memories</dt><dd>${new Set(data.turns.filter((turn) => ["memory", "completed"].includes(turn.outcome)).map((turn) => turn.memory_id)).size}</dd></div>
        <div><dt>${data.offers === 1 ? "offer" : "offers"}</dt><dd>${data.offers}</dd></div>
        <div><dt>tokens given</dt><dd>${data.tokens.toLocaleString("en")}</dd></div>
      </dl>
      <nav class="tabs" aria-label="Parts of this session">
        ${[["", "Turns"], ["offers", `Offers (${data.offers})`], ["events", "Captured events"]].map(([name, text]) => html`<a key=${name} href=${here(name)} aria-current=${part === name ? "page" : null}>${text}</a>`)}
      </nav>
      ${part === "offers" ? html`<${Offers} path=${at("sessions", client, session, "offers")} />` : part === "events" ? html`<${Events} path=${at("sessions", client, session, "events")} />` : html`<${Turns} data=${data} />`}`;
    }}
  <//>`;
}

function Turns({ data }) {
  if (!data.turns.length) return html`<p class="muted">No turns were captured.</p>`;
  return html`<ol class="turns">
      ${data.turns.map(
        (turn) => html`<li key=${turn.turn}>
          <p class="muted"><${Time} at=${turn.first} form=${exact} />–${clock(turn.last)} · ${count(turn.events, "event")}${turn.agent ? ` · ${turn.agent}` : ""}</p>
          ${turn.prompt && html`<p class="text prompt">${turn.prompt}</p>`}
          <p><strong>${BECAME[turn.outcome] ?? words(turn.outcome)}</strong>${turn.outcome === "pending" ? html`: <a data-item href=${link("review", { kind: "memory", id: turn.memory_id })}>Review it</a>` : turn.goal && html`: <a data-item href=${link("memory", turn.memory_id)}><${Inline} text=${turn.goal} /></a>`}${turn.why && html` <span class="muted">${turn.why}</span>`}</p>
        </li>`,
      )}
    </ol>
    ${data.left_out > 0 && html`<p class="muted">${count(data.left_out, "earlier turn")} not shown.</p>`}`;
}

function Offers({ path }) {
  const pages = usePages(path);
  return html`<${Paged} pages=${pages} what="offer" empty=${html`<p class="muted">Nothing was given in this session.</p>`}>${(items) => html`<${OfferList} offers=${items} about="session" />`}<//>`;
}

function Events({ path }) {
  const pages = usePages(path, { limit: 100 });
  return html`<${Paged} pages=${pages} what="event" empty=${html`<p class="muted">Its events are no longer kept (two weeks).</p>`}>
    ${(items) => html`<div class="scroll"><table class="list">
      <thead><tr><th scope="col">time</th><th scope="col">kind</th><th scope="col">what</th><th scope="col">became</th></tr></thead>
      <tbody>${items.map((one) => html`<tr key=${one.id}><td><${Time} at=${one.at} form=${clock} /></td><td>${one.kind}</td><td class="text">${one.what}${one.withheld && html` <span class="muted">${one.withheld} withheld</span>`}</td><td>${one.memory_id ? html`<a href=${link("memory", one.memory_id)}>${one.became}</a>` : one.became}${one.why && html` <span class="muted">${one.why}</span>`}</td></tr>`)}</tbody>
    </table></div>`}
  <//>`;
}
