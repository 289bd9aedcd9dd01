// Causes as a drawing: layout by dagre, SVG by hand, walked with the arrow keys.
import { classes, html, shorten, useEffect, useMemo, useRef, useState } from "./base.js";
import { layout, Graph } from "../vendor/dagre.js";
import { dateText } from "./time.js";
import { OUTCOMES, outcomeOf, SHAPES } from "./ui.js";

const WIDTH = 216;
const HEIGHT = 62;
const LINE = 26; // Characters of a line in a node

export const EDGE_WORDS = {
  caused_by: "led to",
  blocked_by: "blocks",
  supersedes: "replaced by",
  related_to: "related",
  reverts: "reverted by",
};

/** The goal in two lines. */
function lines(text) {
  const found = [""];
  for (const word of text.split(/\s+/)) {
    const last = found.at(-1);
    if (!last) found[found.length - 1] = word;
    else if (last.length + word.length < LINE) found[found.length - 1] = `${last} ${word}`;
    else if (found.length < 2) found.push(word);
    else {
      found[1] = `${found[1]} …`;
      break;
    }
  }
  return found.map((line) => shorten(line, LINE + 1));
}

function place(data, direction) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 18, ranksep: 40, edgesep: 12, marginx: 14, marginy: 14 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { entry } of data.nodes) graph.setNode(entry.id, { width: WIDTH, height: HEIGHT });
  // Time runs with the direction: the cause first, then what came of it. A link that says neither joins in by age.
  const since = Object.fromEntries(data.nodes.map(({ entry }) => [entry.id, entry.created_at]));
  data.edges.forEach(({ source, target, type }, index) => {
    const ends = type === "related_to" && since[source] < since[target] ? [source, target] : [target, source];
    graph.setEdge(...ends, { type, weight: type === "related_to" ? 0 : 1 }, String(index));
  });
  layout(graph);
  return graph;
}

const curve = (points) => {
  const [first, ...rest] = points;
  let path = `M${first.x},${first.y}`;
  for (let index = 0; index < rest.length - 1; index++) {
    const middle = index === rest.length - 2 ? rest[index + 1] : { x: (rest[index].x + rest[index + 1].x) / 2, y: (rest[index].y + rest[index + 1].y) / 2 };
    path += ` Q${rest[index].x},${rest[index].y} ${middle.x},${middle.y}`;
  }
  return rest.length === 1 ? `${path} L${rest[0].x},${rest[0].y}` : path;
};

/** Where the curve of these points has its middle. */
function middleOf(points) {
  const at = Math.floor(points.length / 2);
  const [before, here, after] = [points[at - 1], points[at], points[at + 1] ?? points[at]];
  const mean = (name) => (before[name] + 2 * here[name] + after[name]) / 4;
  return { x: mean("x"), y: mean("y") };
}

export function CauseGraph({ data, onOpen, onWalk }) {
  const isNarrow = matchMedia("(max-width: 700px)").matches;
  const graph = useMemo(() => place(data, isNarrow ? "TB" : "LR"), [data, isNarrow]);
  const [focus, setFocus] = useState(data.root);
  const [isWhole, setWhole] = useState(false);
  const [sticksOut, setSticksOut] = useState(false);
  const nodes = useRef({});
  const frame = useRef(null);
  useEffect(() => {
    setFocus(data.root);
    const root = graph.node(data.root);
    setSticksOut(frame.current.scrollWidth > frame.current.clientWidth || frame.current.scrollHeight > frame.current.clientHeight);
    if (root) frame.current.scrollTo(root.x - frame.current.clientWidth / 2, root.y - frame.current.clientHeight / 2);
  }, [data]);
  const move = (id) => {
    if (!id) return;
    setFocus(id);
    nodes.current[id]?.focus();
  };
  const nearest = (ids, from) => ids.sort((a, b) => Math.abs(graph.node(a).y - from.y) + Math.abs(graph.node(a).x - from.x) - Math.abs(graph.node(b).y - from.y) - Math.abs(graph.node(b).x - from.x))[0];
  const onKey = (event) => {
    const here = graph.node(focus);
    const [along, across] = isNarrow ? ["y", "x"] : ["x", "y"];
    const beside = (step) =>
      nearest(graph.nodes().filter((id) => id !== focus && Math.abs(graph.node(id)[along] - here[along]) < 40 && (graph.node(id)[across] - here[across]) * step > 0), here);
    const moves = {
      [isNarrow ? "ArrowUp" : "ArrowLeft"]: () => nearest(graph.predecessors(focus) ?? [], here),
      [isNarrow ? "ArrowDown" : "ArrowRight"]: () => nearest(graph.successors(focus) ?? [], here),
      [isNarrow ? "ArrowLeft" : "ArrowUp"]: () => beside(-1),
      [isNarrow ? "ArrowRight" : "ArrowDown"]: () => beside(1),
    };
    if (moves[event.key]) {
      event.preventDefault();
      move(moves[event.key]());
    } else if (event.key === "Enter") onOpen(focus);
    else if (event.key === " ") {
      event.preventDefault();
      onWalk(focus);
    }
  };
  const { width = 0, height = 0 } = graph.graph();
  const more = data.left_out?.by_node ?? {};
  return html`${sticksOut && html`<p class="note"><button type="button" class="small" aria-pressed=${isWhole} onClick=${() => setWhole(!isWhole)}>${isWhole ? "Full size" : "Show it whole"}</button></p>`}
  <div class="graph" ref=${frame} onKeyDown=${onKey}>
    <svg width=${isWhole ? "100%" : width} height=${isWhole ? null : height} viewBox=${`0 0 ${width} ${height}`} role="group" aria-label="Causes and effects">
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
          <path d="M0 0L8 4L0 8z" />
        </marker>
      </defs>
      ${graph.edges().map((edge) => {
        const { points, type } = graph.edge(edge);
        const middle = middleOf(points);
        return html`<g key=${`${edge.v} ${edge.w} ${edge.name}`} class=${`edge ${type}`} aria-hidden="true">
          <path d=${curve(points)} marker-end=${type === "related_to" ? null : "url(#arrow)"} />
          ${type !== "caused_by" && html`<text x=${middle.x} y=${middle.y - 5}>${EDGE_WORDS[type] ?? type}</text>`}
        </g>`;
      })}
      ${data.nodes.map(({ entry }) => {
        const { x, y } = graph.node(entry.id);
        const kind = outcomeOf(entry);
        const hidden = more[entry.id] ?? 0;
        return html`<g
          key=${entry.id}
          ref=${(node) => (nodes.current[entry.id] = node)}
          class=${classes("node", entry.id === data.root && "root")}
          transform=${`translate(${x - WIDTH / 2},${y - HEIGHT / 2})`}
          tabindex=${entry.id === focus ? 0 : -1}
          role="link"
          aria-label=${`${entry.goal}. ${OUTCOMES[kind]}, ${dateText(entry.created_at)}${hidden ? `. ${hidden} more behind it` : ""}`}
          onFocus=${() => setFocus(entry.id)}
          onClick=${() => onOpen(entry.id)}
        >
          <rect width=${WIDTH} height=${HEIGHT} rx="3" />
          <svg x="9" y="9" width="13" height="13" viewBox="0 0 16 16" class=${`shape ${kind}`}>${SHAPES[kind]()}</svg>
          ${lines(entry.goal).map((line, index) => html`<text key=${index} class="goal" x="29" y=${20 + index * 15}>${line}</text>`)}
          <text class="when" x="29" y="53">${dateText(entry.created_at)} · ${OUTCOMES[kind]}</text>
          ${hidden > 0 &&
          html`<g class="behind" onClick=${(event) => (event.stopPropagation(), onWalk(entry.id))}>
            <rect x=${WIDTH - 40} y=${HEIGHT - 11} width="40" height="19" rx="9.500" />
            <text x=${WIDTH - 20} y=${HEIGHT + 2.5}>+${hidden}</text>
          </g>`}
        </g>`;
      })}
    </svg>
  </div>`;
}
