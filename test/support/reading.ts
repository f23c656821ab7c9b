// What the model reads: attachments rendered with the tools and options of a test.

import type { Attachment } from "../../packages/sotto/src/attachments/attachment.ts";
import type { Config } from "../../packages/sotto/src/config/config.ts";
import { resolveSettings } from "../../packages/sotto/src/config/schema.ts";
import type { ToolNames } from "../../packages/sotto/src/facts/agent.ts";
import { createVocabulary } from "../../packages/sotto/src/profiles/vocabulary.ts";
import type { Content } from "../../packages/sotto/src/render/content.ts";
import { renderBlocks } from "../../packages/sotto/src/render/render.ts";
import { createTags } from "../../packages/sotto/src/render/tags.ts";

export interface ReadingOptions {
  /** The tools the agent has; every tool unless given. */
  tools?: readonly string[];
  config?: Config;
}

/** The blocks one after the other, an image as its media type in brackets. */
export function asRead(
  attachment: Attachment,
  data: unknown,
  { tools, config = {} }: ReadingOptions = {},
): string {
  const options = resolveSettings(config, [attachment]).types.get(attachment.type)?.options;
  return inItsTag(attachment, attachment.render(data, { tools: createVocabulary(tools), options }));
}

/** The same by what an agent calls its tools, with where the rest is when the text has to be cut. */
export function readBy(
  attachment: Attachment,
  data: unknown,
  tools: ToolNames,
): { text: string; rest?: string } {
  const options = resolveSettings({}, [attachment]).types.get(attachment.type)?.options;
  const text = inItsTag(attachment, attachment.render(data, { tools, options }));
  const rest = attachment.readMoreAt?.(data, { tools, options });
  return rest === undefined ? { text } : { text, rest };
}

function inItsTag(attachment: Attachment, content: Content): string {
  const wrapper = attachment.wrap === "own-tags" ? undefined : "system-reminder";
  return renderBlocks(content, { tags: createTags({}), wrapper })
    .map((block) => (block.type === "text" ? block.text : `[${block.mediaType}]`))
    .join("\n");
}

/** All examples of an attachment, each under its title. */
export function examplesAsRead(attachment: Attachment, options: ReadingOptions = {}): string {
  return attachment.examples
    .map(({ title, data }) => `# ${title}\n${asRead(attachment, data, options)}`)
    .join("\n\n");
}
