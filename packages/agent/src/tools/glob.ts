// Glob: finds files by name, newest first.

import { stat } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { z } from "zod";
import { displayPath, locate } from "./files/access.ts";
import { runSearch, searchScope } from "./search/run-search.ts";
import type { ToolResult } from "./tool.ts";
import { defineTool } from "./tool.ts";

const MOST = 100;
const LIMIT_MS = 20_000;

const input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe("For example src/**/*.{ts,tsx}"),
  path: z.string().min(1).optional().describe("The directory to search; default: the working directory"),
});
type Input = z.infer<typeof input>;

export const glob = defineTool<Input>({
  name: "Glob",
  description: `Finds files by a path pattern, newest first, up to ${MOST}. Files ignored by Git are left out.`,
  input,
  kind: "read",
  title: ({ pattern, path }) => `Glob ${pattern}${path === undefined ? "" : ` in ${path}`}`,
  async run(given, context): Promise<ToolResult> {
    const { path, pattern } = split(given);
    if (pattern.split(/[/\\]/u).includes(".."))
      throw new Error(`the pattern ${pattern} contains "..": set path instead`);
    const place = await locate(path, context);
    if (!place.exists) throw new Error(`${place.path} does not exist`);
    if (!(await stat(place.realPath)).isDirectory()) throw new Error(`${place.path} is not a directory`);
    let found = { paths: [] as string[], total: 0 };
    const { signal } = context;
    const end = await runSearch(
      { kind: "glob", ...searchScope(place, context), pattern, most: MOST },
      {
        limitMs: LIMIT_MS,
        signal,
        hear(message) {
          if (message.kind === "paths") found = message;
          return true;
        },
      },
    );
    if (end !== "done") throw new Error("the search timed out: set a path or use a narrower pattern");
    const paths = found.paths.map((real) => join(place.path, real.slice(place.realPath.length)));
    if (paths.length === 0) return { text: "No files found.", summary: "none" };
    const more = found.total > found.paths.length ? `\n[The newest ${MOST} of ${found.total} files.]` : "";
    const names = paths.map((one) => displayPath(one, context.cwd));
    return { text: names.join("\n") + more, summary: `${found.total} files`, paths };
  },
});

/** Splits an absolute pattern at its first wildcard into directory and pattern. */
function split({ pattern, path = "." }: Input): { pattern: string; path: string } {
  if (!isAbsolute(pattern)) return { pattern, path };
  const parts = pattern.split(sep);
  const at = parts.findIndex((part) => /[*?[\]{}()!]/u.test(part));
  const fixed = at < 0 ? parts.length - 1 : at;
  return { path: parts.slice(0, fixed).join(sep) || sep, pattern: parts.slice(fixed).join("/") };
}
