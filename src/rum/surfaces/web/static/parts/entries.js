// Memories in lists.
import { classes, html, words } from "./base.js";
import { link } from "./route.js";
import { clock, dayName, isoDay, Time } from "./time.js";
import { Inline } from "./markdown.js";
import { CodeLabel, hasKind, Outcome } from "./ui.js";

const SHOWN_LABELS = ["rejected", "superseded", "archived"];

/** One memory: outcome, goal, what came of it, who and when. */
export function EntryRow({ entry, form, children }) {
  const labels = (entry.labels ?? []).filter((label) => SHOWN_LABELS.includes(label));
  return html`<li class=${classes("entry", labels.includes("superseded") && "old")}>
    <${Outcome} memory=${entry} short />
    <div class="entry-text">
      <a data-item href=${link("memory", entry.id)} class="entry-goal"><${Inline} text=${entry.goal} /></a>
      ${entry.summary && entry.summary !== entry.goal && html`<p class="entry-summary"><${Inline} text=${entry.summary} /></p>`}
      ${children}
    </div>
    <p class="entry-meta">
      <${Time} at=${entry.created_at} form=${form} />
      <${Doer} agent=${entry.agent} type=${entry.task_type} />
      ${labels.map((label) => html`<span key=${label} class="label">${label}</span>`)}
      <${CodeLabel} of=${entry} />
    </p>
  </li>`;
}

/** Who did it, and what kind of work it was. */
export const Doer = ({ agent, type }) =>
  (agent || hasKind(type)) && html`<span>${agent}${hasKind(type) && html`<span class="doing">${agent && " · "}${words(type)}</span>`}</span>`;

export const Entries = ({ entries, form }) =>
  html`<ul class="entries">${entries.map((entry) => html`<${EntryRow} key=${entry.id} entry=${entry} form=${form} />`)}</ul>`;

/** Memories under the day they were stored. */
export function EntriesByDay({ entries }) {
  const days = [];
  for (const entry of entries) {
    const day = isoDay(entry.created_at);
    if (days.at(-1)?.day !== day) days.push({ day, entries: [] });
    days.at(-1).entries.push(entry);
  }
  return days.map(
    ({ day, entries: found }) => html`<section key=${day} class="day" aria-label=${dayName(found[0].created_at)}>
      <h2><span>${dayName(found[0].created_at)}</span></h2>
      <${Entries} entries=${found} form=${clock} />
    </section>`,
  );
}
