// The file the user has open in the IDE.

import * as v from "valibot";
import { isSelected, whyNot } from "../../facts/ide.ts";
import { pathInText } from "../../render/wording.ts";
import { skip } from "../attachment.ts";
import { sendWhenChanged } from "../common-kinds.ts";
import { whyHidden } from "../shared/ide-access.ts";

const schema = v.object({ filename: v.string() });

export const openedFileInIde = sendWhenChanged({
  type: "opened_file_in_ide",
  generator: "ide_opened_file",
  summary: "The user has a file open in the IDE.",
  tier: "main_agent",
  when: "a file that may be shown is open and nothing is selected, and whenever that changes",
  needs: ["ide", "ideAccess", "ideLink"],
  schema,
  state({ ide: { openFile, selection, changed }, ideAccess, ideLink }) {
    if (isSelected(selection)) return skip(`lines of ${selection.filename} are selected`);
    if (openFile === undefined) return skip(`no file is open in the IDE${whyNot(ideLink)}`);
    const hidden = whyHidden(openFile, ideAccess);
    return hidden === undefined ? { data: { filename: openFile }, key: `change-${changed}` } : skip(hidden);
  },
  render: ({ filename }) =>
    `The user opened the file ${pathInText(filename)} in the IDE. This may or may not matter for what they ask.`,
  examples: [{ title: "a file", data: { filename: "/repo/src/a.ts" } }],
});
