import { count, html } from "../parts/base.js";
import { at, useLoad } from "../parts/api.js";
import { CauseGraph, EDGE_WORDS } from "../parts/graph.js";
import { Inline } from "../parts/markdown.js";
import { go, link } from "../parts/route.js";
import { dateText } from "../parts/time.js";
import { Head, Loaded, Outcome, Select } from "../parts/ui.js";

export const title = () => "Causes";

const DIRECTIONS = [["both", "causes and effects"], ["causes", "what led to it"], ["effects", "what came of it"]];

export function Page({ route }) {
  const [id] = route.parts;
  const { direction = "both" } = route.query;
  const load = useLoad(at("memories", id, "causes"), { direction, max_nodes: 60 });
  const root = load.data?.nodes.find(({ entry }) => entry.id === load.data.root)?.entry;
  return html`<${Head} title=${root ? html`<${Inline} text=${root.goal} />` : "Causes"} kicker="What led to this, and what came of it">
      <p class="muted">${root && html`<a href=${link("memory", id)}>Open the memory</a>`}</p>
    <//>
    <form class="filters" aria-label="Filters" onSubmit=${(event) => event.preventDefault()}>
      <${Select} label="Show" value=${direction} options=${DIRECTIONS} onChange=${(value) => go(link("causes", id, { direction: value === "both" ? "" : value }))} />
    </form>
    <${Loaded} load=${load}>${(data) => html`<${Drawing} data=${data} asksCauses=${direction !== "effects"} />`}<//>`;
}

function Drawing({ data, asksCauses }) {
  const { nodes, edges, left_out: left = {} } = data;
  if (nodes.length < 2)
    return html`<p class="message empty"><strong>No causes are recorded.</strong> Memories get them from <code>rum link</code>, from reverts, and from agents that store what their work came from.</p>`;
  const first = firstCauses(data);
  return html`
    <p class="muted note" role="status">
      ${count(nodes.length, "memory", "memories")} and ${count(edges.length, "link")} are shown.
      ${left.nodes > 0 ? ` ${left.complete === false ? "At least " : ""}${count(left.nodes, "linked memory is", "linked memories are")} left out: choose a +number to walk there.` : " Nothing is left out."}
      ${first.length > 0 && html` Where it began: ${first.slice(0, 3).map((entry, index) => html`${index > 0 && ", "}<a key=${entry.id} href=${link("memory", entry.id)}><${Inline} text=${entry.goal} /></a>`)}${first.length > 3 && ` and ${first.length - 3} more`}.`}
      ${!first.length && asksCauses && " No cause of it is recorded: it began here."}
    </p>
    <${CauseGraph} key=${data.root} data=${data} onOpen=${(id) => go(link("memory", id))} onWalk=${(id) => go(link("causes", id))} />
    <p class="legend" aria-hidden="true">${Object.entries(EDGE_WORDS).filter(([type]) => edges.some((edge) => edge.type === type)).map(([type, text]) => html`<span key=${type}><span class=${`legend-line ${type}`}></span> ${text}</span> `)}</p>
    <details class="as-list">
      <summary>As a list</summary>
      <${EdgeList} nodes=${nodes} edges=${edges} />
    </details>
  `;
}

/** The causes of causes that have none themselves, oldest first. */
function firstCauses({ root, nodes, edges }) {
  const causes = (id) => edges.filter((edge) => edge.type === "caused_by" && edge.source === id).map((edge) => edge.target);
  const seen = new Set([root]);
  for (const id of seen) for (const cause of causes(id)) seen.add(cause);
  return nodes
    .map(({ entry }) => entry)
    .filter((entry) => entry.id !== root && seen.has(entry.id) && !causes(entry.id).length)
    .sort((one, other) => one.created_at - other.created_at);
}

function EdgeList({ nodes, edges }) {
  const entries = Object.fromEntries(nodes.map(({ entry }) => [entry.id, entry]));
  const name = (id) => html`<a href=${link("memory", id)}>${entries[id]?.goal ?? id}</a>`;
  const sorted = [...edges].sort((one, other) => (entries[one.target]?.created_at ?? 0) - (entries[other.target]?.created_at ?? 0));
  return html`<ul class="plain">
    ${sorted.map((edge, index) => html`<li key=${index}><${Outcome} memory=${entries[edge.target] ?? {}} short /> ${name(edge.target)} <em>${EDGE_WORDS[edge.type] ?? edge.type}</em> ${name(edge.source)} <span class="muted">${entries[edge.source] && dateText(entries[edge.source].created_at)}</span></li>`)}
  </ul>`;
}
