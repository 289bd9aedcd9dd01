import { count, html, percent, useState, words } from "../parts/base.js";
import { at, get, patch, post, useLoad, usePages } from "../parts/api.js";
import { changes, Diff, LineDiff, placeName } from "../parts/diff.js";
import { useKeys } from "../parts/keys.js";
import { Inline } from "../parts/markdown.js";
import { OfferList } from "../parts/offers.js";
import { goBack, go, link } from "../parts/route.js";
import { exact, Time } from "../parts/time.js";
import { ActionButton, announce, Confirm, copy, Dialog, Facts, Field, Freshness, hasKind, Head, Kind, Loaded, Outcome, outcomeOf, Paged, Path, Shape, Tags, TextArea, WriteFailure } from "../parts/ui.js";

export const title = () => "Memory";

export function Page({ route, me }) {
  const [id, part = ""] = route.parts;
  return html`<${One} key=${id} id=${id} part=${part} me=${me} />`;
}

function One({ id, part, me }) {
  const load = useLoad(at("memories", id));
  return html`<${Loaded} load=${load} lines=${14} title="Memory">${(data) => html`<${Memory} data=${data} part=${part} me=${me} reload=${load.reload} />`}<//>`;
}

function Memory({ data, part, me, reload }) {
  const { memory } = data;
  const [open, setOpen] = useState(null);
  const mayChange = me.may_write && data.may_change !== false;
  const rate = async (useful) => {
    await post("feedback", { id: memory.id, useful, kind: "memory" });
    announce(useful ? "Marked as useful." : "Marked as not useful: it is offered less.");
    reload();
  };
  const copyMarkdown = async () => copy(await get(at("memories", memory.id, "markdown")), "The memory as Markdown was");
  const forget = async () => {
    await post(at("memories", memory.id, "forget"), {});
    announce("Moved to the trash for 30 days.", async () => {
      await post("trash/restore", { id: memory.id, kind: "memory" });
      announce("Restored.");
      go(link("memory", memory.id));
    });
    goBack(link("timeline"));
  };
  useKeys({
    c: copyMarkdown,
    v: () => go(link("causes", memory.id)),
    ...(me.may_write ? { u: () => rate(true), w: () => rate(false) } : {}),
    ...(mayChange ? { e: () => setOpen("edit") } : {}),
  });
  return html`<article class="memory">
    <${Head}
      title=${html`<${Inline} text=${memory.intent.goal} />`}
      kicker=${html`${hasKind(memory.intent.task_type) && html`<${Kind} type=${memory.intent.task_type} /> · `}<${Time} at=${memory.created_at} form=${exact} /> · <a href=${link("timeline", { agent: data.agent?.name ?? memory.agent_id })}>${data.agent?.name ?? memory.agent_id}</a>`}
      actions=${html`
        <button type="button" onClick=${() => setOpen("share")}>Share</button>
        <a class="button" href=${link("causes", memory.id)}>Causes</a>
        ${mayChange && html`<button type="button" onClick=${() => setOpen("edit")}>Edit</button> <button type="button" class="danger" onClick=${() => setOpen("forget")}>Forget</button>`}
      `}
    >
      <p class="lead"><${Outcome} memory=${memory} /> <${Inline} text=${memory.outcome.summary} /></p>
    <//>
    <${Banners} memory=${memory} />
    <nav class="tabs" aria-label="Parts of this memory">
      ${[["", "Layers"], ["history", `History${data.versions > 1 ? ` (${data.versions})` : ""}`], ["offers", `Offers${data.use?.offered ? ` (${data.use.offered})` : ""}`], ...(data.files?.length && me.is_local ? [["code", "Code then and now"]] : [])].map(
        ([name, text]) => html`<a key=${name} href=${link(...["memory", memory.id, name].filter(Boolean))} aria-current=${part === name ? "page" : null}>${text}</a>`,
      )}
    </nav>
    <div class="columns">
      <div>
        ${part === "history" ? html`<${History} key=${memory.version} id=${memory.id} mayChange=${mayChange} reload=${reload} />` : part === "offers" ? html`<${Offers} id=${memory.id} me=${me} />` : part === "code" ? html`<${Code} id=${memory.id} />` : html`<${Layers} memory=${memory} />`}
      </div>
      <div class="side"><${Side} data=${data} me=${me} rate=${rate} reload=${reload} /></div>
    </div>
    ${open === "share" && html`<${Share} memory=${memory} me=${me} mayChange=${mayChange} copyMarkdown=${copyMarkdown} onClose=${() => setOpen(null)} reload=${reload} />`}
    ${open === "edit" && html`<${Edit} memory=${memory} onClose=${() => setOpen(null)} reload=${reload} />`}
    ${open === "forget" &&
    html`<${Confirm} title="Forget this memory?" action="Forget" onConfirm=${forget} onClose=${() => setOpen(null)}>
      <p>It is found and offered no more. It stays in the trash for 30 days; until then you can restore it.</p>
      ${data.chapters?.length > 0 && html`<p>${count(data.chapters.length, "chapter")} quote it and will need a refresh.</p>`}
    <//>`}
  </article>`;
}

function Banners({ memory }) {
  const { reverted_by: revert, superseded_by: newer = [] } = memory;
  return html`
    ${revert && html`<p class="message notice"><${Shape} kind="reverted" /><span>Reverted${revert.in_part ? " in part" : ""} by ${revert.id.startsWith("mem_") ? html`<a href=${link("memory", revert.id)}>a later memory</a>` : html`<code>${(revert.commit ?? revert.id).slice(0, 10)}</code>`}${revert.reason ? `: ${revert.reason}` : "."}</span></p>`}
    ${newer.length > 0 && html`<p class="message notice"><${Shape} kind="unverified" /><span>Replaced by ${newer.map((id, index) => html`${index > 0 && ", "}<a href=${link("memory", id)}>a newer memory</a>`)}. Recall leaves it out.</span></p>`}
  `;
}

const Layer = ({ name, children }) => html`<section class="layer"><h2>${name}</h2><div>${children}</div></section>`;

const List = ({ title: heading, items = [] }) =>
  items.length > 0 && html`<div class="sub"><h3>${heading}</h3><ul>${items.map((item, index) => html`<li key=${index}>${typeof item === "string" ? html`<${Inline} text=${item} />` : item}</li>`)}</ul></div>`;

const Said = ({ title: heading, text }) => text && html`<div class="sub"><h3>${heading}</h3><p class="text"><${Inline} text=${text} /></p></div>`;

/** The five layers of a memory; of one that waits for review, the actions are not known. */
export function Layers({ memory }) {
  const { intent, perception = {}, reasoning = {}, actions, outcome } = memory;
  return html`
    <${Layer} name="Intent">
      <p class="text"><${Inline} text=${intent.goal} /></p>
      <${Said} title="Context" text=${intent.context} />
      <${List} title="Constraints" items=${intent.constraints} />
    <//>
    <${Layer} name="Perception">
      ${isEmpty(perception) && html`<p class="muted">Nothing was recorded.</p>`}
      <${List} title="Seen" items=${(perception.observations ?? []).map((one) => html`<${Inline} text=${one.what} />${one.where && html` <span class="path">${one.where}</span>`}${one.significance && html` <span class="muted">– <${Inline} text=${one.significance} /></span>`}`)} />
      <${List} title="Files that mattered" items=${(perception.relevant_files ?? []).map((one) => html`<${Path} path=${one.path} /> ${one.relevance} ${one.state_summary && html`<span class="muted">${one.state_summary}</span>`}`)} />
      <${List} title="Patterns" items=${perception.patterns_noticed} />
      <${List} title="Odd" items=${perception.anomalies} />
    <//>
    <${Layer} name="Reasoning">
      ${isEmpty(reasoning) && html`<p class="muted">Nothing was recorded.</p>`}
      <${Said} title="Chosen" text=${reasoning.approach_chosen} />
      <${Said} title="Because" text=${reasoning.why_chosen} />
      <${List} title="Not taken" items=${(reasoning.alternatives_considered ?? []).map((one) => html`<${Inline} text=${one.approach} />${one.why_rejected && html` <span class="muted">– <${Inline} text=${one.why_rejected} /></span>`}`)} />
      <${List} title="Assumed" items=${reasoning.assumptions} />
      <${List} title="Risks" items=${reasoning.risks_identified} />
    <//>
    ${actions && html`<${Layer} name="Actions"><${Actions} actions=${actions} /><//>`}
    <${Layer} name="Outcome">
      <p class="text"><${Outcome} memory=${memory} /> <${Inline} text=${outcome.summary} /></p>
      <${Said} title=${`Why it failed${outcome.failure_category ? ` (${words(outcome.failure_category)})` : ""}`} text=${outcome.failure_reason} />
      ${outcome.verified_by && html`<div class="sub"><h3>Verified by ${outcome.verified_by.type === "manual" ? (outcome.verified_by.command ? "a command" : "hand") : words(outcome.verified_by.type)}</h3><p>${outcome.verified_by.command && html`<code>${outcome.verified_by.command}</code> `}${outcome.verified_by.result}</p></div>`}
      <${List} title="Learned" items=${outcome.learnings} />
      <${List} title="Left to do" items=${outcome.follow_up_needed} />
      ${outcome.full_text && html`<details><summary>The agent's last message</summary><p class="text">${outcome.full_text}</p></details>`}
    <//>
  `;
}

const isEmpty = (layer) => !Object.values(layer).some((value) => (Array.isArray(value) ? value.length : value));

const ACTION_WORDS = { file_read: "read", file_edit: "edited", file_create: "created", file_delete: "deleted", command_run: "ran", search: "searched", external_query: "asked" };
const FIRST = 12;

function Actions({ actions }) {
  const [all, setAll] = useState(false);
  if (!actions.length) return html`<p class="muted">Nothing was recorded.</p>`;
  const shown = all ? actions : actions.slice(0, FIRST);
  return html`<ol class="steps">
      ${shown.map(({ type, details = {}, result }, index) => html`<li key=${index}>
        <span class="verb">${ACTION_WORDS[type] ?? words(type)}</span>
        <div>
          ${details.file_path && html`<${Path} path=${details.file_path} line=${details.lines_affected} />`}
          ${details.command && html`<code class="command">${details.command}</code>`} ${details.query && html`<code class="command">${details.query}</code>`}
          ${details.scope && html` <span class="muted">in ${details.scope}</span>`}
          ${details.diff_summary && html`<${Change} text=${details.diff_summary} />`}
          ${result && (result.error || result.output_summary || !result.success) && html`<p class="result"><${Shape} kind=${result.success ? "worked" : "failed"} /> ${result.error ?? result.output_summary ?? "failed"}</p>`}
        </div>
      </li>`)}
    </ol>
    ${actions.length > shown.length && html`<button type="button" class="quiet" onClick=${() => setAll(true)}>Show all ${actions.length} steps</button>`}`;
}

/** What an edit changed: lines with a mark, or a sentence. */
function Change({ text }) {
  const lines = text.split("\n");
  if (!lines.some((line) => /^[+-]/.test(line))) return html`<p class="text">${text}</p>`;
  const kinds = { "+": "new", "-": "gone" };
  return html`<pre class="line-diff">${lines.map((line, index) => html`<span key=${index} class=${kinds[line[0]] ?? "same"}>${line}${"\n"}</span>`)}</pre>`;
}

const STATES = {
  same: ["worked", "as it was"],
  changed: ["partial", "changed since"],
  gone: ["failed", "gone"],
  unknown: ["unverified", "not known"],
};
/** What came of offering it: how often each was seen. */
const cameOf = (use) =>
  [["followed", use.followed], ["work kept", use.kept], ["work undone", use.undone], ["fetched", use.fetched], ["contradicted", use.contradicted]]
    .filter(([, number]) => number)
    .map(([what, number]) => `${what} ${number}`)
    .join(", ") || "nothing that was seen";

const ORIGINS = { turn: "captured work" };
const RELATIONS = { caused_by: "caused by", led_to: "led to", related_to: "related to", supersedes: "replaces", superseded_by: "replaced by", blocked_by: "blocked by", blocks: "blocks" };

function Side({ data, me, rate, reload }) {
  const { memory, files = [], links = [], chapters = [], use = {} } = data;
  const confirm = async () => {
    await post("stale/confirm", { ids: [memory.id] });
    announce("Confirmed: from now on it is compared with the code as it is today.");
    reload();
  };
  return html`
    <section>
      <h2>Use</h2>
      <${Facts}
        rows=${[
          ["offered", use.offered ? html`<a href=${link("memory", memory.id, "offers")}>${count(use.offered, "time")}</a>` : "never"],
          ["came of it", use.offered ? cameOf(use) : null],
          ["recalled", use.access_count ? count(use.access_count, "time") : null],
          ["useful", use.usefulness ? percent((use.usefulness + 1) / 2) : null],
          ["importance", percent(memory.importance ?? 0.5)],
        ]}
      />
      ${me.may_write && html`<p class="buttons"><${ActionButton} kind="small" run=${() => rate(true)}>Useful<//><${ActionButton} kind="small" run=${() => rate(false)}>Not useful<//></p>`}
    </section>
    ${files.length > 0 &&
    html`<section>
      <h2>Files today</h2>
      <${Freshness} memory=${memory} />
      ${me.may_write && memory.freshness === "changed" && html`<p class="buttons"><${ActionButton} kind="small" run=${confirm}>Still true<//></p>`}
      <ul class="plain files">
        ${files.map((file) => {
          const [shape, text] = STATES[file.state] ?? STATES.unknown;
          return html`<li key=${file.path}><${Shape} kind=${shape} /><span><${Path} path=${file.path} /> <small class="muted">${words(file.operation)}, ${text}</small></span></li>`;
        })}
      </ul>
    </section>`}
    ${links.length > 0 &&
    html`<section>
      <h2>Links <a class="aside-link" href=${link("causes", memory.id)}>as a graph</a></h2>
      <ul class="plain linked">
        ${links.map(({ relation, entry }) => html`<li key=${relation + entry.id}><${Shape} kind=${outcomeOf(entry)} /><span><small class="muted">${RELATIONS[relation] ?? words(relation)}</small> <a data-item href=${link("memory", entry.id)}><${Inline} text=${entry.goal} /></a></span></li>`)}
      </ul>
    </section>`}
    ${chapters.length > 0 && html`<section><h2>In chapters</h2><ul class="plain">${chapters.map((one) => html`<li key=${one.id}><a href=${link("chapter", one.id)}>${one.title}</a></li>`)}</ul></section>`}
    <section>
      <h2>Where it is from</h2>
      <${Facts}
        rows=${[
          ["id", html`<code>${memory.id}</code>`],
          ["from", memory.origin && (ORIGINS[memory.origin.kind] ?? `${words(memory.origin.kind)}${memory.origin.reference ? ` ${memory.origin.reference.slice(0, 12)}` : ""}`)],
          ["session", memory.session_id && html`<a href=${data.client ? link("session", data.client, memory.session_id) : link("timeline", { session: memory.session_id })}>${memory.session_id}</a>`],
          ["branch", memory.branch],
          ["commit", memory.commit && html`<code>${memory.commit.slice(0, 10)}</code>`],
          ["version", memory.version],
          ["tags", memory.tags?.length ? html`<${Tags} tags=${memory.tags} />` : null],
        ]}
      />
    </section>
  `;
}

function History({ id, mayChange, reload }) {
  const load = useLoad(at("memories", id, "history"));
  const restore = async (number) => {
    await post(at("memories", id, "restore"), { version: number });
    announce(`Version ${number} is the current one again.`);
    reload();
    load.reload();
  };
  return html`<${Loaded} load=${load}>
    ${({ items }) =>
      items.length < 2
        ? html`<p class="muted">It has not been changed since it was stored.</p>`
        : html`<ol class="history">
            ${items.map((one, index) => html`<${Version} key=${one.version} one=${one} previous=${items[index - 1]} restore=${mayChange && !one.current ? () => restore(one.version) : null} />`).reverse()}
          </ol>`}
  <//>`;
}

function Version({ one, previous, restore }) {
  const found = previous ? changes(previous.memory, one.memory) : [];
  return html`<li>
    <h3>Version ${one.version}${one.current && html` <span class="label">current</span>`}</h3>
    <p class="muted"><${Time} at=${one.changed_at} form=${exact} /> by ${one.changed_by_name ?? one.changed_by}</p>
    ${previous ? found.map((change) => html`<div key=${change.place} class="change"><p class="place">${placeName(change.place)}</p><${Diff} ...${change} /></div>`) : html`<p>${one.memory.intent?.goal}</p>`}
    ${previous && !found.length && html`<p class="muted">The text is the same.</p>`}
    ${restore && html`<p><${ActionButton} kind="small" run=${restore}>Restore this version<//></p>`}
  </li>`;
}

/** The code that it speaks of, as it was and as it is. */
function Code({ id }) {
  const load = useLoad(at("memories", id, "anchors"));
  return html`<${Loaded} load=${load}>
    ${({ items }) =>
      items.length
        ? html`<ul class="offers">${items.map((anchor, index) => html`<${Anchor} key=${index} anchor=${anchor} />`)}</ul>`
        : html`<p class="muted">It names no code that could be compared.</p>`}
  <//>`;
}

const isSame = (before, after) => before.length === after.length && before.every((line, index) => line === after[index]);

function Anchor({ anchor }) {
  const { before, after } = anchor;
  return html`<li>
    <p><span class="path">${anchor.place}</span>${anchor.symbol && html` in <code>${anchor.symbol}</code>`}</p>
    <${Freshness} memory=${{ freshness: anchor.state, code_at: anchor.place_now, code_changed: anchor.changed }} />
    ${before && after && isSame(before, after) ? html`<details><summary>${count(after.length, "line")}</summary><${LineDiff} before=${before} after=${after} /></details>` : before && after ? html`<${LineDiff} before=${before} after=${after} />` : before && html`<pre class="offered">${before.join("\n")}</pre>`}
  </li>`;
}

function Offers({ id, me }) {
  const pages = usePages(at("memories", id, "offers"));
  return html`<${Paged} pages=${pages} what="offer" empty=${html`<p class="muted">It has not been offered to an agent yet.</p>`}>${(items) => html`<${OfferList} offers=${items} about="memory" me=${me} />`}<//>`;
}

/** A list as lines of a text field, and back. */
export const toLines = (items) => (items ?? []).join("\n");
export const fromLines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** How others get this memory: as text, by its address, or with the next sync. */
function Share({ memory, me, mayChange, copyMarkdown, onClose, reload }) {
  const load = useLoad("sync", {}, { enabled: me.is_local });
  const policy = load.data?.share ?? "";
  const tag = policy.startsWith("tagged:") ? policy.slice("tagged:".length) : null;
  const isSent = tag ? (memory.tags ?? []).includes(tag) : ["all", "kept"].includes(policy);
  const add = async () => {
    await patch(at("memories", memory.id), { tags: [...(memory.tags ?? []), tag] });
    announce(`It has the tag ${tag} now: the next rum sync sends it.`);
    onClose();
    reload();
  };
  const close = (act) => async () => {
    await act();
    onClose();
  };
  return html`<${Dialog} title="Share this memory" onClose=${onClose}>
    <h3>As text</h3>
    <p>All its layers, without secrets, for a message or an issue.</p>
    <p class="buttons"><${ActionButton} kind="primary" run=${close(copyMarkdown)}>Copy as Markdown<//> ${!me.is_local && html`<${ActionButton} run=${close(() => copy(location.href, "The address was"))}>Copy its address<//>`}</p>
    ${me.is_local && html`<h3>With the team</h3>
      <${Loaded} load=${load} lines=${2}>${() =>
        isSent
          ? html`<p>It is sent with the next <code>rum sync</code>${tag && html`, because it has the tag <span class="label">${tag}</span>`}.</p>`
          : tag
            ? html`<p><code>rum sync</code> sends what has the tag <span class="label">${tag}</span>.</p>${mayChange && html`<p class="buttons"><${ActionButton} run=${add}>Give it this tag<//></p>`}`
            : html`<p>Nothing leaves this machine, because the setting <code>share</code> is <code>${policy}</code>. After <code>rum config set share tagged:team</code>, you can send single memories from here.</p>`}<//>`}
    <p class="buttons"><button type="button" onClick=${onClose}>Close</button></p>
  <//>`;
}

function Edit({ memory, onClose, reload }) {
  const first = {
    goal: memory.intent.goal,
    summary: memory.outcome.summary,
    success: memory.outcome.success,
    failure_reason: memory.outcome.failure_reason ?? "",
    learnings: toLines(memory.outcome.learnings),
    follow_ups: toLines(memory.outcome.follow_up_needed),
    tags: (memory.tags ?? []).join(", "),
  };
  const [form, setForm] = useState(first);
  const [error, setError] = useState(null);
  const set = (name) => (value) => setForm((old) => ({ ...old, [name]: value }));
  const save = async (event) => {
    event.preventDefault();
    setError(null);
    const outcome = { summary: form.summary, success: form.success, learnings: fromLines(form.learnings), follow_up_needed: fromLines(form.follow_ups) };
    if (form.failure_reason !== first.failure_reason) outcome.failure_reason = form.failure_reason || null;
    try {
      await patch(at("memories", memory.id), { intent: { goal: form.goal }, outcome, tags: form.tags.split(",").map((tag) => tag.trim()).filter(Boolean) });
      announce("Saved as a new version.");
      onClose();
      reload();
    } catch (problem) {
      setError(problem);
    }
  };
  return html`<${Dialog} title="Edit the memory" onClose=${onClose} wide>
    <form class="form" onSubmit=${save}>
      <${Field} label="Goal"><${TextArea} value=${form.goal} onInput=${set("goal")} required /><//>
      <${Field} label="What came of it"><${TextArea} value=${form.summary} onInput=${set("summary")} required /><//>
      <label class="check"><input type="checkbox" checked=${form.success} onChange=${(event) => set("success")(event.target.checked)} /> it worked</label>
      <${Field} label="Why it failed"><${TextArea} value=${form.failure_reason} onInput=${set("failure_reason")} /><//>
      <${Field} label="Learned" hint="one a line"><${TextArea} value=${form.learnings} onInput=${set("learnings")} /><//>
      <${Field} label="Left to do" hint="one a line"><${TextArea} value=${form.follow_ups} onInput=${set("follow_ups")} /><//>
      <${Field} label="Tags" hint="with commas between"><input value=${form.tags} onInput=${(event) => set("tags")(event.target.value)} /><//>
      ${error && html`<${WriteFailure} error=${error} />`}
      <p class="buttons"><button type="submit" class="primary">Save</button><button type="button" onClick=${onClose}>Cancel</button><small class="muted">The old version stays in the history.</small></p>
    </form>
  <//>`;
}
