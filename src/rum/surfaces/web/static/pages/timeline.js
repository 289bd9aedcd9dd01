import { classes, count, html, useMemo, useState, words } from "../parts/base.js";
import { useLoad, usePages } from "../parts/api.js";
import { EntriesByDay } from "../parts/entries.js";
import { link, replaceRoute } from "../parts/route.js";
import { dateText } from "../parts/time.js";
import { Empty, Field, Filters, Head, Paged, PathChoice, Select } from "../parts/ui.js";

export const title = () => "Timeline";

export const OUTCOME_OPTIONS = [["", "any"], ["success", "worked"], ["failure", "failed"], ["unverified", "not verified"]];

export const SINCE_OPTIONS = [["", "any"], ["1d", "the last day"], ["7d", "the last week"], ["30d", "the last month"], ["365d", "the last year"]];

/** Choices of agents and kinds of work, for filters. */
export function useChoices() {
  const agents = useLoad("agents");
  const types = useLoad("task_types");
  const items = types.data?.items ?? types.data ?? [];
  return {
    agents: [["", "anyone"], ...(agents.data?.items ?? []).map((one) => [one.name || one.agent_id, one.label || one.name || one.agent_id])],
    types: [["", "any"], ...(Array.isArray(items) ? items : []).map((one) => [one.type ?? one, words(one.type ?? one)])],
  };
}

const isDate = (text) => /^\d{4}-/.test(text);
const TIME_OPTIONS = [...SINCE_OPTIONS, ["dates", "between two dates"]];

export function Page({ route }) {
  const { agent = "", outcome = "", type = "", tag = "", session = "", file = "", since = "", before = "" } = route.query;
  const filters = { agent, outcome, type, tag, session, file, since, before };
  const pages = usePages("timeline", { ...filters, limit: 40 });
  const { agents, types } = useChoices();
  const change = (name) => (value) => replaceRoute(link("timeline", { ...filters, [name]: value }));
  const [asksDates, setAsksDates] = useState(false);
  const hasDates = asksDates || isDate(since) || isDate(before);
  const changeTime = (value) => {
    setAsksDates(value === "dates");
    replaceRoute(link("timeline", { ...filters, since: value === "dates" ? "" : value, before: "" }));
  };
  const isFiltered = Object.values(filters).some(Boolean);
  return html`<${Head} title="Timeline" kicker="Every piece of work, newest first" />
    <${Days} filters=${filters} />
    <${Filters} isActive=${isFiltered}>
      <${Select} label="Time" value=${hasDates ? "dates" : since} onChange=${changeTime} options=${TIME_OPTIONS} />
      <${Select} label="Outcome" value=${outcome} onChange=${change("outcome")} options=${OUTCOME_OPTIONS} />
      <${Select} label="Agent" value=${agent} onChange=${change("agent")} options=${agents} />
      <${Select} label="Kind of work" value=${type} onChange=${change("type")} options=${types} />
      <${Field} label="File or folder"><input value=${file} onChange=${(event) => change("file")(event.target.value)} placeholder="src/auth" /><//>
      <${Field} label="Tag"><input value=${tag} onChange=${(event) => change("tag")(event.target.value)} /><//>
      ${hasDates &&
      html`<${Field} label="From"><input type="date" value=${since} onChange=${(event) => change("since")(event.target.value)} /><//>
        <${Field} label="Before"><input type="date" value=${before} onChange=${(event) => change("before")(event.target.value)} /><//>`}
      ${session && html`<span class="tag">session ${session}</span>`}
      ${isFiltered && html`<a class="button quiet" href=${link("timeline")}>Clear filters</a>`}
    <//>
    ${pages.error?.details?.paths && html`<${PathChoice} error=${pages.error} toLink=${(path) => link("timeline", { ...filters, file: path })} />`}
    ${!pages.error?.details?.paths && html`<${Paged}
      pages=${pages}
      what="memory"
      many="memories"
      empty=${isFiltered
        ? html`<${Empty} title="No work fits these filters."><a href=${link("timeline")}>Clear the filters</a> to see everything.<//>`
        : html`<${Empty} title="No memories yet.">Run <code>rum install</code> to capture the work of your agents, or <code>rum import git</code> to read this repository's history.<//>`}
    >
      ${(items) => html`<${EntriesByDay} entries=${items} />`}
    <//>`}`;
}

const DAY = 86_400;

/** The last days as columns: their height is the number of memories, the dark part failed. */
function Days({ filters }) {
  const load = useLoad("days", { agent: filters.agent });
  const days = useMemo(() => withEmptyDays(load.data?.days ?? [], load.data?.before), [load.data]);
  const most = useMemo(() => Math.max(1, ...days.map((day) => day.success + day.failure)), [days]);
  if (load.error || !days.length) return null;
  const frame = (node) => node && node.style.setProperty("--days", days.length);
  const busy = days.filter((day) => day.success + day.failure);
  const first = busy.find((day) => day.day === filters.since) ?? busy.at(-1);
  // One stop for the tab key; the arrow keys go from day to day.
  const onKey = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const links = [...event.currentTarget.querySelectorAll("a")];
    const next = step && links[links.indexOf(document.activeElement) + step];
    if (next) (event.preventDefault(), next.focus());
  };
  return html`<div class="days-frame" ref=${frame}><nav class="days" aria-label="Days with work" onKeyDown=${onKey}>
    ${days.map((day) => {
      const total = day.success + day.failure;
      if (!total) return html`<span key=${day.day}></span>`;
      const text = `${dateText(day.start)}: ${count(total, "memory", "memories")}, ${day.failure} failed`;
      const size = (number) => (node) => node && node.style.setProperty("--size", `${Math.round((number / most) * 100)}%`);
      return html`<a
        key=${day.day}
        class=${classes(filters.since === day.day && "chosen")}
        href=${link("timeline", { ...filters, since: day.day, before: nextDay(day.day) })}
        title=${text}
        aria-label=${text}
        tabindex=${day === first ? 0 : -1}
      ><i class="ok" ref=${size(day.success)}></i><i class="failed" ref=${size(day.failure)}></i></a>`;
    })}
  </nav><p class="days-axis" aria-hidden="true"><span>${dateText(days[0].start)}</span><span>${dateText(days.at(-1).start)}</span></p></div>`;
}

const LONGEST = 400;

/** The days with those without work between them, up to today. */
function withEmptyDays(days, before) {
  if (!days.length) return days;
  const known = Object.fromEntries(days.map((day) => [day.day, day]));
  const end = Math.max(Date.parse(days.at(-1).day), (before ?? 0) * 1000 - DAY * 1000);
  const all = [];
  for (let at = Date.parse(days[0].day); at <= end && all.length < LONGEST; at += DAY * 1000) {
    const day = new Date(at).toISOString().slice(0, 10);
    all.push(known[day] ?? { day, start: at / 1000, success: 0, failure: 0 });
  }
  return all;
}

const nextDay = (day) => new Date(Date.parse(day) + DAY * 1000).toISOString().slice(0, 10);
