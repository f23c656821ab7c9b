// What the model reads of an attachment's data, for catalogues: with default options and every tool at hand.

import { createVocabulary } from "./core/vocabulary.ts";
import type { Attachment } from "./core/attachment.ts";
import { resolveSettings } from "./core/config.ts";
import { textOf } from "./core/reminder.ts";
import { renderBlocks } from "./core/render.ts";
import { createTags } from "./core/tags.ts";

/** All its text, tags included; images are left out. */
export function renderAttachment(attachment: Attachment, data: unknown): string {
  const options = resolveSettings({}, [attachment]).types.get(attachment.type)?.options;
  const content = attachment.render(data, { tools: createVocabulary(undefined), options });
  const wrapper = attachment.wrap === "own-tags" ? undefined : "system-reminder";
  return textOf(renderBlocks(content, { tags: createTags({}), wrapper }));
}
