// Requests to the server, and hooks that load them. An error is never turned into an empty answer.
import { useCallback, useEffect, useRef, useState } from "./base.js";

const BASE = "/api/v1/";
const state = { csrf: "" };

export class ApiError extends Error {
  constructor(message, { code = "", status = 0, details = {} } = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

/** The only way to the server: `(method, path, body, signal) → { status, data }`. An embedding host sets its own. */
let request = async (method, path, body, signal) => {
  const headers = { Accept: "application/json" };
  if (method !== "GET") {
    headers["Content-Type"] = "application/json";
    if (state.csrf) headers["X-Rum-Csrf"] = state.csrf;
  }
  const response = await fetch(path, {
    method,
    headers,
    signal,
    body: method === "GET" ? undefined : JSON.stringify(body ?? {}),
    credentials: "same-origin",
    cache: "no-store",
  });
  const isJson = response.headers.get("Content-Type")?.includes("json");
  const text = await response.text();
  return { status: response.status, data: isJson && text ? JSON.parse(text) : text };
};

export const setRequest = (other) => {
  request = other;
};

let running = 0;

/** Assistive technology waits with announcing a page that is still loading. */
function setRunning(change) {
  running += change;
  document.querySelector("main")?.setAttribute("aria-busy", String(running > 0));
}

async function call(method, path, body, signal) {
  let answer;
  setRunning(1);
  try {
    answer = await request(method, BASE + path, body, signal);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Run `rum web` again.", { code: "UNREACHABLE" });
  } finally {
    setRunning(-1);
  }
  const { status, data } = answer;
  if (status >= 200 && status < 300) return data;
  const told = data?.error ?? {};
  throw new ApiError(told.message ?? `The server answered with status ${status}.`, { ...told, status });
}

function withParameters(path, parameters = {}) {
  const kept = Object.entries(parameters).filter(([, value]) => value != null && value !== "" && value !== false);
  const query = new URLSearchParams(kept).toString();
  return query ? `${path}?${query}` : path;
}

export const get = (path, parameters, signal) => call("GET", withParameters(path, parameters), null, signal);
export const post = (path, body) => call("POST", path, body);
export const put = (path, body) => call("PUT", path, body);
export const patch = (path, body) => call("PATCH", path, body);

/** The address of a resource: each part is escaped. */
export const at = (...parts) => parts.map(encodeURIComponent).join("/");

/** Who is signed in, and in which project. */
export async function whoAmI() {
  return remember(await get("me"));
}

export const signIn = async (token) => remember(await post("login", { token }));

export async function signOut() {
  await post("logout");
  state.csrf = "";
}

function remember(me) {
  state.csrf = me.csrf;
  return me;
}

/** One answer: `{ data, error, loading, reload }`; while a new one loads, the old one stays. */
export function useLoad(path, parameters, { enabled = true } = {}) {
  const address = path && withParameters(path, parameters);
  const [shown, setShown] = useState({ address: null, data: null, error: null });
  const [loading, setLoading] = useState(Boolean(address && enabled));
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!address || !enabled) return setLoading(false);
    const control = new AbortController();
    setLoading(true);
    call("GET", address, null, control.signal).then(
      (data) => {
        if (control.signal.aborted) return;
        setShown({ address, data, error: null });
        setLoading(false);
      },
      (error) => {
        if (control.signal.aborted) return;
        setShown({ address, data: null, error });
        setLoading(false);
      },
    );
    return () => control.abort();
  }, [address, enabled, turn]);
  const reload = useCallback(() => setTurn((one) => one + 1), []);
  return { data: shown.data, error: shown.error, loading, reload, isCurrent: shown.address === address };
}

/** A paged list: `{ items, total, first, error, loading, hasMore, more, reload }`. */
export function usePages(path, parameters, { enabled = true } = {}) {
  const address = withParameters(path, parameters);
  const empty = { address, items: [], next: null, total: null, first: null, error: null };
  const [shown, setShown] = useState(empty);
  const [loading, setLoading] = useState(enabled);
  const [turn, setTurn] = useState(0);
  const current = useRef(0);
  const load = useCallback(
    async (cursor, before) => {
      const own = ++current.current;
      setLoading(true);
      try {
        const answer = await get(path, { ...parameters, cursor });
        if (own !== current.current) return;
        setShown({
          address,
          items: [...before, ...answer.items],
          next: answer.next ?? null,
          total: answer.total ?? null,
          first: cursor ? shown.first : answer,
          error: null,
        });
      } catch (error) {
        if (own !== current.current) return;
        setShown((old) => ({ ...old, address, items: before, error }));
      }
      setLoading(false);
    },
    [address, shown.first],
  );
  useEffect(() => {
    if (!enabled) return;
    load(null, []);
    return () => {
      current.current += 1;
    };
  }, [address, enabled, turn]);
  const isCurrent = shown.address === address;
  return {
    ...(isCurrent ? shown : empty),
    loading: loading || (enabled && !isCurrent),
    hasMore: Boolean(shown.next) && isCurrent,
    more: () => load(shown.next, shown.items),
    retry: () => (shown.items.length ? load(shown.next, shown.items) : setTurn((one) => one + 1)),
    reload: () => setTurn((one) => one + 1),
    /** Remove or change items that are shown, after a write. */
    change: (edit) => setShown((old) => ({ ...old, items: edit(old.items) })),
  };
}

/** A text that follows another one after a pause. */
export function useSettled(value, milliseconds) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
