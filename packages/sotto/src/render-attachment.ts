// What the model reads of an attachment's data, for catalogues: with default options and every tool at hand.

import { createVocabulary } from "./profiles/vocabulary.ts";
import type { Attachment } from "./attachments/attachment.ts";
import { resolveSettings } from "./config/schema.ts";
import { textOf } from "./render/reminder.ts";
import { renderBlocks } from "./render/render.ts";
import { createTags } from "./render/tags.ts";

/** All its text, tags included; images are left out. */
export function renderAttachment(attachment: Attachment, data: unknown): string {
  const options = resolveSettings({}, [attachment]).types.get(attachment.type)?.options;
  const content = attachment.render(data, { tools: createVocabulary(undefined), options });
  const wrapper = attachment.wrap === "own-tags" ? undefined : "system-reminder";
  return textOf(renderBlocks(content, { tags: createTags({}), wrapper }));
}
