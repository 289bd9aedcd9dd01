// The page inside another program (an MCP App): the host passes requests on, and says what to show.
import { setRequest } from "./api.js";
import { link } from "./route.js";

const VERSION = "2026-01-26";
const waiting = new Map();
let last = 0;

const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

function ask(method, params) {
  const id = ++last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

/** Introduce the page to its host, then show a view of it. */
export async function start(view) {
  addEventListener("message", receive);
  const answer = await ask("ui/initialize", {
    protocolVersion: VERSION,
    appInfo: { name: "rum", title: "RUM", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  setRequest(request);
  setContext(answer?.hostContext);
  keepAddresses();
  state.view = view;
  location.hash = first();
  send({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(tellSize).observe(document.documentElement);
}

const state = { view: "memory", size: "" };

/** What is shown before the host says more. */
const first = () => (state.view === "review" ? link("review") : link("timeline"));

/** A request to the API, as a call of the tool `page`. */
async function request(method, path, body) {
  const result = await ask("tools/call", { name: "page", arguments: { method, path, body: body ?? {} } });
  const answer = result.structuredContent ?? JSON.parse(result.content?.[0]?.text ?? "{}");
  if (result.isError || typeof answer.status !== "number") {
    const told = { code: answer.code ?? "REFUSED", message: answer.message ?? "The host refused this." };
    return { status: 403, data: { error: told } };
  }
  return { status: answer.status, data: answer.data };
}

function receive(event) {
  if (event.source !== parent) return;
  const message = event.data ?? {};
  if (message.jsonrpc !== "2.0") return;
  if (message.method === undefined) settle(message);
  else if (message.method === "ui/notifications/tool-input") show(message.params?.arguments);
  else if (message.method === "ui/notifications/host-context-changed") setContext(message.params);
  else if (message.id !== undefined) send(answerTo(message));
}

function settle({ id, result, error }) {
  const one = waiting.get(id);
  waiting.delete(id);
  if (error) one?.reject(new Error(error.message));
  else one?.resolve(result);
}

const answerTo = ({ id, method }) =>
  method === "ping" || method === "ui/resource-teardown"
    ? { id, result: {} }
    : { id, error: { code: -32601, message: `Method not found: ${method}` } };

/** Show what the tool was called with. */
function show({ memory_id: memory } = {}) {
  if (typeof memory === "string" && memory) location.hash = link(state.view === "causes" ? "causes" : "memory", memory);
}

function setContext({ theme } = {}) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

function tellSize() {
  const { width, height } = document.documentElement.getBoundingClientRect();
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  if (state.size === JSON.stringify(size)) return;
  state.size = JSON.stringify(size);
  send({ method: "ui/notifications/size-changed", params: size });
}

/** In a document without an address of its own, `#` would lead to the host's page. */
function keepAddresses() {
  history.replaceState = (_state, _title, address) => {
    location.hash = address;
  };
  addEventListener("click", (event) => {
    const address = event.target.closest?.('a[href^="#"]')?.getAttribute("href");
    if (address === undefined || address === null || event.defaultPrevented) return;
    event.preventDefault();
    location.hash = address;
  });
}
