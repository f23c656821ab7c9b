// MCP resource: the contents of a resource that the user mentioned, so that the agent need not read it.

import * as v from "valibot";
import type { ResourceContent } from "../../facts/events.ts";
import { type ResourceEdge, resourcePlace } from "../../facts/resources.ts";
import { isSentLast, unsentVersions, type Version, versionKey } from "../../facts/versions.ts";
import { cutText } from "../../platform/text.ts";
import { type Content, element } from "../../render/content.ts";
import { leftOut, pathInText } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { unresolvedIn } from "../shared/unresolved.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({
  server: v.string(),
  uri: v.string(),
  name: v.string(),
  description: v.optional(v.string()),
  content: v.object({
    contents: v.array(
      v.object({
        text: v.optional(v.string()),
        /** The hash of the bytes, which are kept and not shown. */
        blob: v.optional(v.string()),
        mimeType: v.optional(v.string()),
      }),
    ),
  }),
  truncated: v.optional(v.boolean()),
});

type Data = v.InferOutput<typeof schema>;

// As for a file: the agent asks for the rest if it needs it.
const MOST_CHARACTERS = 40_000;
const MOST_CONTENTS = 100;
const UNKNOWN_TYPE = "application/octet-stream";

export const mcpResource = sendOnce({
  type: "mcp_resource",
  generator: "mcp_resources",
  summary: "A resource of an MCP server that the user mentioned.",
  tier: "user_prompt",
  when: "the prompt names a resource of a connected server with @server:uri",
  needs: ["resources", "mentionedResources"],
  schema,
  repeat: "never",
  pending: ({ resources }, { keys }) => unsentVersions(resources.pending, keys, resourceVersion),
  each: ({ server, uri, name, description, contents }) => ({
    ...withoutUndefined({ server, uri, name, description }),
    ...shownOf(contents),
  }),
  keyOf: (resource) => versionKey(resourceVersion(resource)),
  none: "the prompt mentions no resource of a connected server",
  leftOut({ resources, mentionedResources }, { keys }) {
    const known = resources.pending
      .filter((one) => isSentLast(keys, resourceVersion(one)))
      .map(({ server, uri }) => ({ name: `@${server}:${uri}`, reason: "the same content is in view" }));
    return leftOut("mentioned, not shown", [...known, ...unresolvedIn(mentionedResources)]);
  },
  render({ server, uri, content: { contents }, truncated }): Content {
    const attributes = { server, uri };
    if (contents.length === 0) return [element("mcp-resource", "(No content)", { attributes })];
    const shown = contents.flatMap((one) => partsOf(one, truncated));
    if (shown.length === 0) return [element("mcp-resource", "(No displayable content)", { attributes })];
    const where = `the resource ${pathInText(uri)} of the MCP server ${pathInText(server)}`;
    const what = truncated
      ? `This is the beginning of ${where}; the server has the rest.`
      : `This is ${where}; it need not be read again unless it may have changed.`;
    return [...shown, what].join("\n\n");
  },
  readMoreAt: ({ uri, server }) => `the MCP server ${server} has the rest of ${uri}`,
  examples: [
    {
      title: "a text",
      data: {
        server: "docs",
        uri: "docs://guide/setup",
        name: "Setup",
        content: { contents: [{ text: "Run npm install first.", mimeType: "text/plain" }] },
      },
    },
    {
      title: "something binary",
      data: {
        server: "design",
        uri: "design://logo",
        name: "Logo",
        description: "The logo.",
        content: { contents: [{ blob: "b1946ac92492d234", mimeType: "image/png" }] },
      },
    },
    {
      title: "several contents, one of a type nobody named",
      data: {
        server: "docs",
        uri: "docs://guide",
        name: "Guide",
        content: { contents: [{ text: "One." }, { blob: "b1946ac92492d234" }, { text: "Two." }] },
      },
    },
    {
      title: "too long to be shown as a whole",
      data: {
        server: "docs",
        uri: "docs://all",
        name: "All",
        content: { contents: [{ text: "Chapter 1" }] },
        truncated: true,
      },
    },
    {
      title: "no contents",
      data: { server: "docs", uri: "docs://empty", name: "Empty", content: { contents: [] } },
    },
    {
      title: "no displayable content, and names that need escaping",
      data: {
        server: 'a "b" <c>',
        uri: "odd://x?a=1&b=2",
        name: "Odd",
        content: { contents: [{ mimeType: "text/plain" }] },
      },
    },
  ],
});

function resourceVersion(resource: ResourceEdge): Version {
  return { thing: resourcePlace(resource), version: resource.hash };
}

function partsOf(
  { text, blob, mimeType = UNKNOWN_TYPE }: Data["content"]["contents"][number],
  truncated = false,
): string[] {
  if (text !== undefined && text.trim() !== "")
    return [`${truncated ? "Contents" : "Full contents"} of resource:\n\n${text}`];
  return blob === undefined ? [] : [`[Binary content: ${mimeType.replace(/\s+/gu, " ").trim()}]`];
}

/** The beginning of what is long. */
function shownOf(contents: readonly ResourceContent[]): Pick<Data, "content" | "truncated"> {
  let left = MOST_CHARACTERS;
  let truncated = contents.length > MOST_CONTENTS;
  const shown = contents.slice(0, MOST_CONTENTS).map(({ text, stored, mimeType }) => {
    const part = text === undefined ? undefined : cutText(text, left);
    left -= part?.length ?? 0;
    truncated ||= part !== text;
    return withoutUndefined({ text: part, blob: stored, mimeType });
  });
  return { content: { contents: shown }, ...(truncated ? { truncated } : {}) };
}
