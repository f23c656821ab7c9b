// Mentioned directory: what is in it, as if it had just been listed.

import * as v from "valibot";
import { versionKey } from "../../facts/versions.ts";
import { jsonInText, leftOut, pathInText } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { commandInput } from "../shared/tool-input.ts";
import { unresolvedIn } from "../shared/unresolved.ts";

const schema = v.object({ path: v.string(), content: v.string() });

export const directory = sendOnce({
  type: "directory",
  generator: "at_mentioned_files",
  summary: "A directory the user mentioned.",
  tier: "user_prompt",
  when: "the prompt names a directory with @",
  needs: ["attached", "mentioned"],
  schema,
  pending: ({ attached }) =>
    attached.pending.flatMap(({ id, path, hash, content }) =>
      content.type === "directory" ? [{ id, path, hash, content: content.content }] : [],
    ),
  each: ({ path, content }) => ({ path, content }),
  keyOf: ({ path, hash = "" }) => versionKey({ thing: path, version: hash }),
  none: "the prompt mentions no directory to list",
  leftOut: ({ mentioned }) => leftOut("mentioned, not listed", unresolvedIn(mentioned, "directory")),
  render({ path, content }, { tools }) {
    const shell = tools.tool("Bash");
    const listing = content === "" ? "the directory is empty" : content;
    if (shell === undefined)
      return `This directory is attached: ${pathInText(path)}\n\nIts content:\n${listing}`;
    const input = jsonInText(commandInput(tools, `ls ${quoted(path)}`, `Lists files in ${path}`));
    return `Called the ${shell} tool with the following input: ${input}\n\nResult of calling the ${shell} tool: ${listing}`;
  },
  readMoreAt: ({ path }, { tools }) => {
    const shell = tools.tool("Bash");
    return shell === undefined ? `${path} has the rest` : `use ${shell} to list the rest of ${path}`;
  },
  examples: [
    { title: "a directory", data: { path: "/repo/src", content: "core/\nindex.ts\nmain.ts" } },
    { title: "an empty one, with a space in its name", data: { path: "/repo/my docs", content: "" } },
  ],
});

/** As one would type it. */
function quoted(path: string): string {
  return /^[\w./~@%+,:=-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
