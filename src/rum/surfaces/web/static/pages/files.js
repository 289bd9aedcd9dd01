import { count, html, useEffect, useRef, useState } from "../parts/base.js";
import { post, useLoad, usePages } from "../parts/api.js";
import { EntriesByDay } from "../parts/entries.js";
import { go, link, replaceRoute } from "../parts/route.js";
import { Time } from "../parts/time.js";
import { Empty, Failure, Field, Head, Loading, Outcome, Paged, PathChoice, Select } from "../parts/ui.js";
import { OUTCOME_OPTIONS, SINCE_OPTIONS } from "./timeline.js";

export const title = (route) => route.query.path || "Files";

export function Page({ route }) {
  const { path: asked = "", line = "" } = route.query;
  const pages = usePages("files", { path: asked });
  const about = pages.error ? null : pages.first;
  const path = about?.path ?? asked; // Of a name, the only path with it
  const choice = pages.error?.details?.paths;
  const isFile = about && about.is_folder === false;
  return html`<${Head} title=${html`<${Crumbs} path=${path} />`} kicker=${isFile ? "The story of a file" : path ? "The story of a folder" : "Files with memories"}>
      ${about?.here && html`<p>${about.here.exact === false ? "More than " : ""}${count(about.here.memories, "memory", "memories")}${about.here.failures ? html`, <a href=${link("files", { path, outcome: "failure" })}>${about.here.failures} failed</a>` : ""}${about.here.last ? html`, last <${Time} at=${about.here.last} />` : ""}</p>`}
    <//>
    ${(!asked || pages.error) && html`<${Finder} key=${asked} asked=${asked} />`}
    ${choice && html`<${PathChoice} error=${pages.error} toLink=${(one) => link("files", { path: one })} />`}
    ${pages.error && !choice && html`<${Failure} error=${pages.error} retry=${pages.retry} />`}
    ${!about && !pages.error && html`<${Loading} />`}
    ${about && !isFile && html`<${Folder} pages=${pages} path=${path} />`}
    ${isFile && html`<${Content} path=${path} line=${Number(line) || 0} />`}
    ${path && about && html`<${Story} path=${path} query=${route.query} />`}`;
}

/** Opens a file or folder by its path, or by its name alone. */
function Finder({ asked }) {
  const open = (event) => {
    event.preventDefault();
    const path = event.currentTarget.querySelector("input").value.trim();
    if (path) go(link("files", { path }));
  };
  return html`<form class="filters" onSubmit=${open}><${Field} label="Find a file or folder"><input type="search" value=${asked} placeholder="token.ts" /><//><button type="submit">Open</button></form>`;
}

function Crumbs({ path }) {
  const parts = path.split("/").filter(Boolean);
  return html`<span class="crumbs">${parts.length ? html`<a href=${link("files")}>files</a>` : "Files"}${parts.map((part, index) => html`<span class="slash">/</span>${index === parts.length - 1 ? part : html`<a href=${link("files", { path: parts.slice(0, index + 1).join("/") })}>${part}</a>`}`)}</span>`;
}

function Folder({ pages, path }) {
  const none = html`<${Empty} title=${path ? "No memory names a file below this folder." : "No memory names a file yet."}>Files appear here as soon as work on them is stored.<//>`;
  return html`<${Paged} pages=${pages} what="entry" many="entries" empty=${none}>
    ${(items) => html`<table class="list files-table">
      <thead><tr><th scope="col">name</th><th scope="col" class="number">memories</th><th scope="col" class="number">failed</th><th scope="col">last</th></tr></thead>
      <tbody>
        ${items.map(
          (item) => html`<tr key=${item.path}>
            <td><a data-item class="path" href=${link("files", { path: item.path })}>${item.name}${item.is_folder ? "/" : ""}</a></td>
            <td class="number">${item.memories.toLocaleString("en")}${item.exact === false ? "+" : ""}</td>
            <td class="number">${item.failures ? html`<${Outcome} kind="failed" short /> ${item.failures}` : ""}</td>
            <td>${item.last ? html`<${Time} at=${item.last} />` : ""}</td>
          </tr>`,
        )}
      </tbody>
    </table>`}
  <//>`;
}

function Story({ path, query }) {
  const { outcome = "", since = "" } = query;
  const pages = usePages("timeline", { file: path, outcome, since, limit: 40 });
  const change = (name) => (value) => replaceRoute(link("files", { ...query, [name]: value }));
  const none = outcome || since ? html`<p class="muted">No such work on it. <a href=${link("files", { path })}>Show all work on it</a></p>` : html`<p class="muted">No work on it is stored.</p>`;
  return html`<section>
    <h2 class="section">Work on it</h2>
    <form class="filters" aria-label="Filters" onSubmit=${(event) => event.preventDefault()}>
      <${Select} label="Outcome" value=${outcome} onChange=${change("outcome")} options=${OUTCOME_OPTIONS} />
      <${Select} label="Time" value=${since} onChange=${change("since")} options=${SINCE_OPTIONS} />
    </form>
    <${Paged} pages=${pages} what="memory" many="memories" empty=${none}>${(items) => html`<${EntriesByDay} entries=${items} />`}<//>
  </section>`;
}

/** Today's text of the file; a click on a line asks why it is so. */
function Content({ path, line }) {
  const [open, setOpen] = useState(Boolean(line));
  const load = useLoad("content", { path }, { enabled: open });
  const list = useRef(null);
  useEffect(() => {
    const chosen = list.current?.querySelector(".chosen");
    if (chosen) list.current.scrollTop = chosen.offsetTop - list.current.offsetTop - 60;
  }, [load.data, line]);
  return html`<details class="content" open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>Today's file: choose a line to ask why it is so</summary>
    ${load.error && (load.error.status === 404 ? html`<p class="muted">${load.error.message}</p>` : html`<${Failure} error=${load.error} retry=${load.reload} />`)}
    ${open && !load.data && !load.error && html`<${Loading} />`}
    ${load.data &&
    html`<ol class="code" ref=${list}>
        ${load.data.lines.map((text, index) => html`<li key=${index} class=${index + 1 === line ? "chosen" : null}>
          <a class="line-number" href=${link("files", { path, line: index + 1 })} aria-label=${`Why line ${index + 1}`}>${index + 1}</a><code>${text || " "}</code>
          ${index + 1 === line && html`<${Why} path=${path} line=${line} />`}
        </li>`)}
      </ol>
      ${load.data.truncated && html`<p class="muted">The file is longer; the rest is not shown.</p>`}`}
  </details>`;
}

function Why({ path, line }) {
  const [state, setState] = useState({ data: null, error: null });
  const ask = () => {
    setState({ data: null, error: null });
    post("calls/why", { target: `${path}:${line}` }).then(
      (data) => setState({ data, error: null }),
      (error) => setState({ data: null, error }),
    );
  };
  useEffect(ask, [path, line]);
  const { data, error } = state;
  if (error) return html`<div class="why-line"><${Failure} error=${error} retry=${ask} /></div>`;
  if (!data) return html`<div class="why-line"><${Loading} lines=${2} /></div>`;
  const sources = data.sources.filter((one) => one.memory_id);
  return html`<div class="why-line" role="status">
    <p class="text">${data.text}</p>
    ${sources.length > 0 && html`<p class="buttons">${sources.map((one) => html`<a key=${one.memory_id} class="button small" href=${link("memory", one.memory_id)}>Memory${one.commit ? ` of ${one.commit.slice(0, 10)}` : ""}</a>`)}</p>`}
  </div>`;
}
