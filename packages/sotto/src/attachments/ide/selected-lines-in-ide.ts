// Lines the user has selected in the IDE.

import * as v from "valibot";
import { isSelected, whyNot } from "../../facts/ide.ts";
import { cutText } from "../../platform/text.ts";
import { pathInText } from "../../render/wording.ts";
import { skip } from "../attachment.ts";
import { sendWhenChanged } from "../common-kinds.ts";
import { whyHidden } from "../shared/ide-access.ts";
import { restOfFile } from "../shared/read-more.ts";

const schema = v.object({
  ideName: v.string(),
  lineStart: v.number(),
  lineEnd: v.number(),
  filename: v.string(),
  content: v.string(),
});

// Enough to see what the user means; the file has the rest.
const options = v.object({
  max_characters: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20_000)), 2000),
});

export const selectedLinesInIde = sendWhenChanged({
  type: "selected_lines_in_ide",
  generator: "ide_selection",
  summary: "The user has selected lines in the IDE.",
  tier: "main_agent",
  when: "text is selected in a file that may be shown, and whenever the selection changes",
  needs: ["ide", "ideAccess", "ideLink"],
  schema,
  options,
  state({ ide, ideAccess, ideLink }, _sent, { max_characters }) {
    const { selection, ideName = "the IDE", changed } = ide;
    if (!isSelected(selection)) return skip(`nothing is selected in the IDE${whyNot(ideLink)}`);
    const { filename, lineStart, lineEnd, content, checked } = selection;
    const hidden = whyHidden(filename, ideAccess);
    if (hidden !== undefined) return skip(hidden);
    if (checked !== true) return skip(`the lines selected in ${filename} were not kept`);
    const short = cutText(content, max_characters);
    const shown = short === content ? content : `${short}\n… (truncated)`;
    return { data: { ideName, lineStart, lineEnd, filename, content: shown }, key: `change-${changed}` };
  },
  render({ lineStart, lineEnd, filename, content }) {
    return `The user selected the lines ${lineStart} to ${lineEnd} from ${pathInText(filename)}:\n\n${content}\n\nThis may or may not matter for what they ask.`;
  },
  readMoreAt: ({ filename }, context) => restOfFile(filename, context),
  examples: [
    {
      title: "two lines",
      data: {
        ideName: "VS Code",
        lineStart: 10,
        lineEnd: 11,
        filename: "/repo/src/a.ts",
        content: "const a = 1;\nconst b = 2;",
      },
    },
    {
      title: "more than is shown",
      data: {
        ideName: "VS Code",
        lineStart: 1,
        lineEnd: 900,
        filename: "/repo/src/big.ts",
        content: "export const first = 1;\n… (truncated)",
      },
    },
  ],
});
