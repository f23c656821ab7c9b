// Nested memory: instruction files and rules that apply to a path the agent has touched.

import * as v from "valibot";
import { fileVersion, type InstructionEdge, type InstructionsFact } from "../../facts/instructions.ts";
import { unsentVersions, versionKey } from "../../facts/versions.ts";
import { leftOut, pathInText } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { markHeadings } from "../shared/mark-headings.ts";
import { restOfFile } from "../shared/read-more.ts";

const schema = v.object({
  path: v.string(),
  content: v.string(),
  kind: v.picklist(["managed", "user", "project", "local"]),
  /** Why it applies: the path, and the directory, glob or import. */
  reason: v.string(),
});

export const nestedMemory = sendOnce({
  type: "nested_memory",
  summary: "An instruction file or rule that applies to a path the agent has touched.",
  tier: "core",
  when: "instruction files apply to a path that was read (in full or in part), mentioned, written, found or opened",
  needs: ["memory", "instructions"],
  schema,
  budget: "memory",
  pending: ({ memory }, { keys }) => dueFiles(memory, keys),
  each: ({ path, content, kind, reason }) => ({ path, content, kind, reason }),
  keyOf: (edge) => versionKey(fileVersion(edge)),
  none: ({ memory }) => whyNone(memory),
  leftOut: ({ memory }, { keys }) => beside(memory, dueFiles(memory, keys)),
  render: ({ path, content }) => `Contents of ${pathInText(path)}:\n\n${markHeadings(content)}`,
  readMoreAt: ({ path }, context) => restOfFile(path, context),
  examples: [
    {
      title: "a directory's instructions",
      data: {
        path: "/repo/src/ui/AGENTS.md",
        content: "Components are functions; no default exports.",
        kind: "project",
        reason: "in /repo/src/ui, which holds /repo/src/ui/Button.tsx",
      },
    },
    {
      title: "a rule that matches",
      data: {
        path: "/repo/.claude/rules/tests.md",
        content: "Tests compare whole values.",
        kind: "project",
        reason: "paths: **/*.test.ts matches /repo/src/a.test.ts",
      },
    },
  ],
});

function dueFiles({ pending }: InstructionsFact, keys: readonly string[]): InstructionEdge[] {
  const found = pending.filter(({ absent }) => absent === undefined);
  return unsentVersions(found, keys, fileVersion);
}

interface LookUps {
  touched: readonly string[];
  asked: readonly string[];
  silent: readonly { path: string; reason: string }[];
  said: Readonly<Record<string, string>>;
}

function beside({ silent }: LookUps, due: readonly { path: string }[] = []): string | undefined {
  const others = silent.filter(({ path }) => !due.some((one) => one.path === path));
  return leftOut(
    "left out, or with a problem",
    others.map(({ path, reason }) => ({ name: path, reason })),
  );
}

function whyNone(memory: LookUps): string {
  const { touched, asked, said } = memory;
  if (touched.length > 0) return `${touched.length} touched paths could not be looked up yet`;
  const last = asked.at(-1);
  if (last === undefined) return "no path was touched yet that instructions could apply to";
  const left = beside(memory);
  if (left !== undefined) return `no new instruction file applies to ${last}; ${left}`;
  const count = Object.keys(said).length;
  return count === 0
    ? `no instruction file applies to ${last}`
    : `no path was touched since; ${count === 1 ? "1 instruction file was" : `${count} instruction files were`} sent and in view then`;
}
