// A host of MCP Apps from the official client and bridge; Python passes its messages on to `rum mcp`.
import { Client } from "@modelcontextprotocol/client";
import { AppBridge, getToolUiResourceUri, PostMessageTransport, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/app-bridge";

/** Messages go to the process of the server and come back, one answer for each request. */
class Pipe {
  async start() {}
  async close() {}
  async send(message) {
    const answer = await window.toServer(JSON.stringify(message));
    if (answer) this.onmessage?.(JSON.parse(answer));
  }
}

// What a host must set if a view declares no domains.
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'";
const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } };
window.errors = [];

/** Call a tool and show its view; `mayWrite` is what the user answers when a view asks for a change. */
window.show = async (name, given, mayWrite) => {
  const client = new Client({ name: "host", version: "1" }, { capabilities: { extensions } });
  await client.connect(new Pipe());
  const tool = (await client.listTools()).tools.find((one) => one.name === name);
  const [resource] = (await client.readResource({ uri: getToolUiResourceUri(tool) })).contents;
  if (resource.mimeType !== RESOURCE_MIME_TYPE) throw new Error(`not ${RESOURCE_MIME_TYPE}: ${resource.mimeType}`);
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  document.body.replaceChildren(frame);
  const bridge = new AppBridge(client, { name: "host", version: "1" }, { serverTools: {} }, { hostContext: { theme: "light" } });
  bridge.onerror = (error) => window.errors.push(String(error));
  bridge.addEventListener("sizechange", (size) => (window.size = size));
  const initialized = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  // After connecting, which passes every call on without a question.
  bridge.oncalltool = async (params) => {
    if (params.arguments.method !== "GET" && !mayWrite)
      return { content: [{ type: "text", text: JSON.stringify({ code: "REFUSED", message: "The user said no." }) }], isError: true };
    return client.callTool(params);
  };
  frame.srcdoc = resource.text.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  await initialized;
  window.app = { info: bridge.getAppVersion(), capabilities: bridge.getAppCapabilities() };
  await bridge.sendToolInput({ arguments: given });
  await bridge.sendToolResult(await client.callTool({ name, arguments: given }));
  window.setTheme = (theme) => bridge.setHostContext({ theme });
  window.teardown = () => bridge.teardownResource({});
};
