// Times are Unix seconds, shown in the reader's zone.
import { html } from "./base.js";

const DAY = 86_400;
const dayFormat = new Intl.DateTimeFormat("en", { weekday: "long", year: "numeric", month: "long", day: "numeric" });
const dateFormat = new Intl.DateTimeFormat("en", { year: "numeric", month: "short", day: "numeric" });
const shortFormat = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const clockFormat = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hour12: false });

const date = (seconds) => new Date(seconds * 1000);
export const isoDay = (seconds) => {
  const at = date(seconds);
  const two = (number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
};
export const dayName = (seconds) => dayFormat.format(date(seconds));
/** A date; the year only if it is another one. */
export const dateText = (seconds) =>
  (date(seconds).getFullYear() === new Date().getFullYear() ? shortFormat : dateFormat).format(date(seconds));
export const clock = (seconds) => clockFormat.format(date(seconds));
export const exact = (seconds) => `${isoDay(seconds)} ${clock(seconds)}`;

/** An age in words for what is recent, else the date. */
export function ago(seconds, now = Date.now() / 1000) {
  const age = now - seconds;
  if (age < -60) return dateText(seconds);
  if (age < 60) return "just now";
  if (age < 3600) return `${Math.floor(age / 60)} min ago`;
  if (age < DAY) return `${Math.floor(age / 3600)} h ago`;
  if (age < 14 * DAY) return `${Math.floor(age / DAY)} d ago`;
  return dateText(seconds);
}

export function Time({ at, form = ago }) {
  if (at == null) return html`<span class="muted">unknown</span>`;
  return html`<time dateTime=${date(at).toISOString()} title=${exact(at)}>${form(at)}</time>`;
}
