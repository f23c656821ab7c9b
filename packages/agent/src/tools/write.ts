// Write: creates or replaces a whole file.

import { z } from "zod";
import { rewriteText } from "./edit.ts";
import { cutMiddle } from "./excerpt.ts";
import { displayPath, locateForWriting, readWhole, requireRead, writeText } from "./files/access.ts";
import { textForm } from "./files/text-encoding.ts";
import { defineTool } from "./tool.ts";

const MOST_DETAIL = 4000;
// Larger files are not restored when the disk is full.
const LARGEST_KEPT = 64 * 1024 * 1024;
// More than a model reads or writes.
const LARGEST_COMPARED = 2 * 1024 * 1024;

const input = z.strictObject({
  file_path: z.string().min(1).describe("Absolute, or relative to the working directory"),
  content: z.string().describe("The whole content of the file"),
});
type Input = z.infer<typeof input>;

export const write = defineTool<Input>({
  name: "Write",
  description:
    "Writes a whole file and creates missing directories. An existing file must have been read before and is replaced: use Edit for changes inside a file.",
  input,
  kind: "write",
  title: ({ file_path }) => `Write ${file_path}`,
  permission({ content }) {
    return { detail: cutMiddle(content, MOST_DETAIL) };
  },
  async run({ file_path, content }, context) {
    const place = await locateForWriting(file_path, context);
    const before = place.exists ? await readWhole(place, LARGEST_KEPT) : undefined;
    if (place.exists) await requireRead(context.session, place);
    const written = before === undefined ? content : rewritten(before, content);
    const besides = await writeText(
      { place, bytes: Buffer.from(written), content: written, before },
      context,
    );
    const count = lineCount(content);
    const what = `${count} ${count === 1 ? "line" : "lines"}`;
    return {
      text: `${place.exists ? "Replaced" : "Created"} ${displayPath(place.path, context.cwd)}: ${what}.${besides}`,
      summary: what,
      paths: [place.path],
    };
  },
});

/** Lines copied from what was shown get their original spelling back. */
function rewritten(before: Buffer, content: string): string {
  const form = textForm(before);
  if (form?.encoding !== "utf-8" || before.length > LARGEST_COMPARED) return content;
  return rewriteText(new TextDecoder().decode(before), content);
}

function lineCount(content: string): number {
  return content.split("\n").length - (content.endsWith("\n") || content === "" ? 1 : 0);
}
