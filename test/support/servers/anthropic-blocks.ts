// The content blocks of an Anthropic Messages request: their fields, and who may say them.
import {
  anything,
  boolean,
  type Fields,
  listOf,
  mapping,
  nullable,
  object,
  oneOf,
  string,
  stringOr,
  tagged,
} from "./shape.ts";

export const cacheControl = nullable(
  tagged("type", { ephemeral: { optional: { ttl: oneOf(["5m", "1h"]) } } }),
);
const cached = { cache_control: cacheControl };
const identifier = string({ pattern: /^[a-zA-Z0-9_-]+$/ });
const serverIdentifier = string({ pattern: /^srvtoolu_[a-zA-Z0-9_]+$/ });
const citations = nullable(object({ optional: { enabled: boolean } }));

export const textBlock: Fields = {
  required: { text: string() },
  optional: { ...cached, citations: nullable(listOf(mapping)) },
};
const imageBlock: Fields = {
  required: {
    source: tagged("type", {
      base64: {
        required: {
          media_type: oneOf(["image/jpeg", "image/png", "image/gif", "image/webp"]),
          data: string({ min: 1, pattern: /^[A-Za-z0-9+/]+={0,2}$/ }),
        },
      },
      url: { required: { url: string({ min: 1 }) } },
      file: { required: { file_id: string({ min: 1 }) } },
    }),
  },
  optional: { ...cached, transformations: nullable(mapping) },
};
const documentBlock: Fields = {
  required: {
    source: tagged("type", {
      base64: { required: { media_type: oneOf(["application/pdf"]), data: string({ min: 1 }) } },
      text: { required: { media_type: oneOf(["text/plain"]), data: string({ min: 1 }) } },
      content: {
        required: { content: stringOr(listOf(tagged("type", { text: textBlock, image: imageBlock }))) },
      },
      url: { required: { url: string({ min: 1 }) } },
      file: { required: { file_id: string({ min: 1 }) } },
    }),
  },
  optional: { ...cached, citations, context: nullable(string()), title: nullable(string()) },
};
const searchResultBlock: Fields = {
  required: {
    source: string(),
    title: string(),
    content: listOf(tagged("type", { text: textBlock }), { min: 1 }),
  },
  optional: { ...cached, citations },
};
const toolResultContent = tagged("type", {
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  search_result: searchResultBlock,
  tool_reference: { required: { tool_name: string() }, optional: cached },
});
const serverResult: Fields = {
  required: { tool_use_id: serverIdentifier, content: anything },
  optional: { ...cached, caller: mapping },
};

/** Every block a message may hold, with the roles that may hold it. */
const blocks: Record<string, { roles: readonly string[]; fields: Fields }> = {
  text: { roles: ["user", "assistant", "system"], fields: textBlock },
  image: { roles: ["user"], fields: imageBlock },
  document: { roles: ["user"], fields: documentBlock },
  search_result: { roles: ["user"], fields: searchResultBlock },
  container_upload: { roles: ["user"], fields: { required: { file_id: string() }, optional: cached } },
  tool_result: {
    roles: ["user"],
    fields: {
      required: { tool_use_id: identifier },
      optional: {
        ...cached,
        content: stringOr(listOf(toolResultContent)),
        is_error: boolean,
        toolset_name: nullable(string()),
      },
    },
  },
  thinking: {
    roles: ["assistant"],
    fields: { required: { thinking: string(), signature: string({ min: 1 }) } },
  },
  redacted_thinking: { roles: ["assistant"], fields: { required: { data: string({ min: 1 }) } } },
  tool_use: {
    roles: ["assistant"],
    fields: {
      required: { id: identifier, name: string({ min: 1, max: 200 }), input: mapping },
      optional: { ...cached, caller: mapping, toolset_name: nullable(string()) },
    },
  },
  server_tool_use: {
    roles: ["assistant"],
    fields: {
      required: { id: serverIdentifier, name: string({ min: 1 }), input: mapping },
      optional: { ...cached, caller: mapping },
    },
  },
  web_search_tool_result: { roles: ["assistant"], fields: serverResult },
  web_fetch_tool_result: { roles: ["assistant"], fields: serverResult },
  code_execution_tool_result: { roles: ["assistant"], fields: serverResult },
  bash_code_execution_tool_result: { roles: ["assistant"], fields: serverResult },
  text_editor_code_execution_tool_result: { roles: ["assistant"], fields: serverResult },
  tool_search_tool_result: { roles: ["assistant"], fields: serverResult },
};

export function rolesOf(blockType: string): readonly string[] {
  return blocks[blockType]?.roles ?? [];
}

export const contentBlock = tagged(
  "type",
  Object.fromEntries(Object.entries(blocks).map(([type, { fields }]) => [type, fields])),
);
