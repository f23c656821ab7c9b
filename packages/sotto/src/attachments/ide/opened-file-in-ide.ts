// The file the user has open in the IDE.

import * as v from "valibot";
import { isSelected, whyNot } from "../../facts/ide.ts";
import { pathInText } from "../../render/wording.ts";
import { defineAttachment, skip, stillSaid } from "../attachment.ts";

const schema = v.object({ filename: v.string() });

export const openedFileInIde = defineAttachment({
  type: "opened_file_in_ide",
  generator: "ide_opened_file",
  summary: "The user has a file open in the IDE.",
  tier: "main_agent",
  when: "a file that may be shown is open and nothing is selected: at once, and whenever it changes",
  needs: ["ide", "ideAccess", "ideLink"],
  schema,
  repeats: true,
  carries: "untrusted",
  trigger({ ide: { openFile, selection, changed }, ideAccess, ideLink }, said) {
    if (isSelected(selection)) return skip(`lines of ${selection.filename} are selected`);
    if (openFile === undefined) return skip(`no file is open in the IDE${whyNot(ideLink)}`);
    if (!ideAccess?.known) return skip(`whether ${openFile} may be shown cannot be told`);
    const { access, path, rule } = ideAccess.value;
    if (path !== openFile) return skip(`whether ${openFile} may be shown is not known yet`);
    if (access === "secret") return skip(`${openFile} looks as if it held secrets`);
    if (access === "denied") return skip(`${openFile} may not be read: ${rule ?? "denied"}`);
    const due = { data: { filename: openFile }, key: `change-${changed}` };
    const told = stillSaid(said, due);
    return told === undefined ? [due] : skip(`said in turn ${told.turn}, and not changed since`);
  },
  render: ({ filename }) =>
    `The user opened the file ${pathInText(filename)} in the IDE. This may or may not matter for what they ask.`,
  examples: [{ title: "a file", data: { filename: "/repo/src/a.ts" } }],
});
