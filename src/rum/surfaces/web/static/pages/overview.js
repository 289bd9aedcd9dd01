import { compact, count, html, percent, useMemo, useState } from "../parts/base.js";
import { useLoad } from "../parts/api.js";
import { Entries } from "../parts/entries.js";
import { Inline } from "../parts/markdown.js";
import { Bars } from "../parts/plot.js";
import { link } from "../parts/route.js";
import { Time } from "../parts/time.js";
import { Empty, Failure, Head, Loaded, Path, Shape } from "../parts/ui.js";

export const title = () => "Overview";

export function Page({ me }) {
  const load = useLoad("overview");
  return html`<${Head} title=${me.project.name} kicker="Overview" />
    <${Loaded} load=${load} lines=${12}>${(data) => (data.memories || data.recent.length ? html`<${Content} data=${data} me=${me} />` : html`<${Nothing} data=${data} />`)}<//>`;
}

function Nothing({ data }) {
  return html`<${Waiting} review=${data.review} />
    <${Empty} title="No memories yet.">
      Run <code>rum install</code> to capture the work of your agents, or <code>rum import git</code> to begin with this repository's history.
    <//>`;
}

const Waiting = ({ review = {} }) => {
  const kinds = Object.entries(review).filter(([, number]) => number);
  if (!kinds.length) return null;
  const text = kinds.map(([kind, number]) => count(number, kind, kind === "memory" ? "memories" : `${kind}s`)).join(", ");
  return html`<p class="message notice"><${Shape} kind="unverified" /><span>${text} ${kinds.length === 1 && kinds[0][1] === 1 ? "waits" : "wait"} for review. <a href=${link("review")}>Review now</a></span></p>`;
};

function Content({ data, me }) {
  const weeks = data.weeks ?? [];
  const sum = (name) => weeks.reduce((total, week) => total + week[name], 0);
  const done = sum("success") + sum("failure");
  return html`<${Waiting} review=${data.review} />
    ${(data.warnings ?? []).map((text) => html`<p key=${text} class="message notice"><${Shape} kind="failed" /><span>${text}</span></p>`)}
    <dl class="figures">
      <div><dt>memories</dt><dd>${data.memories.toLocaleString("en")}</dd></div>
      <div><dt>worked, last ${weeks.length} weeks</dt><dd>${done ? percent(sum("success") / done) : "–"}</dd></div>
      <div><dt>failed, last ${weeks.length} weeks</dt><dd>${sum("failure").toLocaleString("en")}</dd></div>
      <div><dt>offers followed</dt><dd>${followed(data.offers)}</dd></div>
      <div><dt>tokens given, 30 days</dt><dd>${compact((data.tokens_by_day ?? []).reduce((total, day) => total + day.tokens, 0))}</dd></div>
    </dl>
    <div class="columns">
      <section aria-labelledby="lately">
        <h2 id="lately">Lately <a class="aside-link" href=${link("timeline")}>whole timeline</a></h2>
        <${Entries} entries=${data.recent} />
      </section>
      <div class="side">
        <${Success} weeks=${weeks} />
        <${FollowUps} items=${data.follow_ups} />
        <${Failing} files=${data.failing_files} />
        <${Areas} areas=${data.areas} />
        <${Tokens} days=${data.tokens_by_day} />
        ${me.role === "owner" && html`<${Health} data=${data} />`}
      </div>
    </div>`;
}

function followed(offers) {
  const kinds = offers?.by_kind ?? [];
  const offered = kinds.reduce((total, one) => total + one.offered, 0);
  return offered ? percent(kinds.reduce((total, one) => total + one.followed, 0) / offered) : "–";
}

function Success({ weeks }) {
  const times = useMemo(() => weeks.map((week) => week.start), [weeks]);
  const series = useMemo(
    () => [
      { name: "failed", colour: "--bad", pattern: "hatched", values: weeks.map((week) => week.failure) },
      { name: "not verified", colour: "--muted", pattern: "dotted", values: weeks.map((week) => week.unverified) },
      { name: "worked", colour: "--good", values: weeks.map((week) => Math.max(0, week.success)) },
    ],
    [weeks],
  );
  if (!weeks.some((week) => week.success || week.failure || week.unverified)) return null;
  return html`<section><h2>Work by week</h2><${Bars} label="Work by week: worked, failed and not verified" times=${times} series=${series} /></section>`;
}

function FollowUps({ items = [] }) {
  if (!items.length) return null;
  return html`<section>
    <h2>Left to do</h2>
    <ul class="plain">
      ${items.map((one) => html`<li key=${one.memory_id + one.text}><a data-item href=${link("memory", one.memory_id)}><${Inline} text=${one.text} /></a> <span class="muted">after “<${Inline} text=${one.goal} />”, <${Time} at=${one.created_at} /></span></li>`)}
    </ul>
  </section>`;
}

function Failing({ files = [] }) {
  if (!files.length) return null;
  return html`<section>
    <h2>Files where work fails</h2>
    <table class="list">
      <thead><tr><th scope="col">file</th><th scope="col" class="number">failed</th><th scope="col" class="number">of</th><th scope="col">last</th></tr></thead>
      <tbody>
        ${files.map(
          (file) => html`<tr key=${file.path}>
            <td><${Path} path=${file.path} /></td>
            <td class="number"><a href=${link("files", { path: file.path, outcome: "failure" })} aria-label=${`${file.failures} failed in ${file.path}`}>${file.failures}</a></td>
            <td class="number">${file.memories}</td>
            <td><a href=${link("memory", file.last_id)}><${Time} at=${file.last} /></a></td>
          </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

function Areas({ areas = [] }) {
  if (!areas.length) return null;
  const most = Math.max(...areas.map((area) => area.memories));
  return html`<section>
    <h2>Where the work is</h2>
    <ul class="areas">
      ${areas.map(
        (area) => html`<li key=${area.path}>
          <${Path} path=${area.path} />
          <meter min="0" max=${most} value=${area.memories} aria-label=${`memories in ${area.path}`}></meter>
          <span class="number">${area.memories}${area.failures ? html` <small>${area.failures} failed</small>` : null}</span>
        </li>`,
      )}
    </ul>
  </section>`;
}

function Tokens({ days = [] }) {
  const times = useMemo(() => days.map((day) => Date.parse(day.day) / 1000), [days]);
  const series = useMemo(() => [{ name: "tokens given to agents", colour: "--accent", values: days.map((day) => day.tokens) }], [days]);
  if (!days.some((day) => day.tokens)) return null;
  return html`<section><h2>Tokens by day</h2><${Bars} label="Tokens given to agents by day" times=${times} series=${series} height=${96} format=${compact} /></section>`;
}

const QUICK = 10_000; // Memories up to which a check takes no time worth asking for

function Health({ data }) {
  const [asked, setAsked] = useState(data.memories <= QUICK);
  const doctor = useLoad("doctor", {}, { enabled: asked });
  return html`<section>
    <h2>Health <a class="aside-link" href=${link("health")}>details</a></h2>
    ${doctor.error ? html`<${Failure} error=${doctor.error} retry=${doctor.reload} />` : !asked ? html`<p><button type="button" class="small" onClick=${() => setAsked(true)}>Check now</button></p>` : doctor.data == null ? html`<p class="muted">Checking …</p>` : html`<p>${doctor.data.healthy ? html`<${Shape} kind="worked" /> Nothing is wrong.` : html`<${Shape} kind="failed" /> <a href=${link("health")}>${count(doctor.data.problems.length, "problem")}</a>: ${doctor.data.problems[0]?.what}`}</p>`}
    ${data.pending_vectors > 0 && html`<p class="muted">${count(data.pending_vectors, "memory", "memories")} not yet searchable by meaning.</p>`}
    ${data.offers?.muted > 0 && html`<p class="muted">Hooks had no time to look for offers: ${data.offers.muted} times.</p>`}
  </section>`;
}
