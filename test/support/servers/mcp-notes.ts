// An MCP server over stdio whose resources are notes: tools rewrite them, and tell how often they were read.

import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const notes = new Map([
  ["note://a", "first\n"],
  ["note://long", "a line of a long note\n".repeat(100_000)],
  ["note://huge", "x".repeat(5 * 1024 * 1024)],
  ["note://secret", `the token is ${process.env.NOTES_TOKEN ?? "not set"}\n`],
]);
const subscribed = new Set<string>();
let reads = 0;
let hasMore = false;

const server = new Server(
  { name: "notes", version: "1.0.0" },
  { capabilities: { resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } } },
);
server.setRequestHandler("resources/list", async () => ({
  resources: [...notes.keys()].map((uri) => ({
    uri,
    name: `The note ${uri}`,
    description: "kept by a test",
  })),
}));
server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
  reads += 1;
  if (uri === "note://slow") await new Promise((resolve) => setTimeout(resolve, Number(process.env.SLOW_MS)));
  if (uri === "note://picture") return { contents: [{ uri, blob: "AAAA", mimeType: "image/png" }] };
  const text = uri === "note://slow" ? "slow\n" : notes.get(uri);
  if (text === undefined) throw new Error(`no note ${uri}`);
  return { contents: [{ uri, text }] };
});
server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
  subscribed.add(uri);
  return {};
});
server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
  subscribed.delete(uri);
  return {};
});
server.setRequestHandler("tools/list", async () => ({
  tools: ["rewrite", "reads", "grow", "crash", ...(hasMore ? ["more"] : [])].map((name) => ({
    name,
    description: `${name}, of a test`,
    inputSchema: { type: "object" as const },
  })),
}));
server.setRequestHandler("tools/call", async ({ params: { name, arguments: input = {} } }) => {
  const { uri, text } = input as { uri: string; text: string };
  if (name === "crash") process.exit(3);
  if (name === "rewrite") {
    notes.set(uri, text);
    if (subscribed.has(uri)) await server.sendResourceUpdated({ uri });
  }
  if (name === "grow") {
    hasMore = true;
    await server.sendToolListChanged();
  }
  return { content: [{ type: "text", text: name === "reads" ? String(reads) : "done" }] };
});
process.stderr.write(`notes are served, with ${process.env.NOTES_TOKEN ?? "no token"}\n`);
await server.connect(new StdioServerTransport());
