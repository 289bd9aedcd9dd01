// Addresses of the page: everything is behind the `#`, so the server needs to know none of them.
import { useEffect, useState } from "./base.js";

/** The address of a page: `link("memory", id, { tab: "history" })`. Empty parameters are left out. */
export function link(...parts) {
  const last = parts.at(-1);
  const parameters = typeof last === "object" && last !== null ? parts.pop() : {};
  const kept = Object.entries(parameters).filter(([, value]) => value !== "" && value != null && value !== false);
  const query = new URLSearchParams(kept).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

export function parseRoute(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const parts = path.split("/").filter(Boolean).map(decode);
  return { page: parts[0] ?? "overview", parts: parts.slice(1), query: Object.fromEntries(new URLSearchParams(query)) };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const go = (address) => {
  location.hash = address;
};

let isFirst = true;
addEventListener("hashchange", () => (isFirst = false), { once: true });

/** Back to the page that led here; to another one if this page was opened by its address. */
export const goBack = (otherwise) => (isFirst ? go(otherwise) : history.back());

/** Change the address without a new entry in the browser's history, as while typing. */
export function replaceRoute(address) {
  if (address === location.hash) return;
  history.replaceState(null, "", address);
  dispatchEvent(new Event("hashchange"));
}

export function useRoute() {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const update = () => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}
