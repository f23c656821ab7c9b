// Nested memory: instruction files and rules that speak about a path the agent has touched.

import * as v from "valibot";
import { leftOut, pathInText } from "../../render/wording.ts";
import { defineAttachment, skip, withNote } from "../attachment.ts";
import { markHeadings } from "../shared/mark-headings.ts";

const schema = v.object({
  path: v.string(),
  content: v.string(),
  kind: v.picklist(["managed", "user", "project", "local"]),
  /** Which path brought it, by which directory, glob or import. */
  reason: v.string(),
});

export const nestedMemory = defineAttachment({
  type: "nested_memory",
  summary: "An instruction file or rule that speaks about a path the agent has touched.",
  tier: "core",
  when: "a path was read (a part will do), mentioned, written, found or opened that instruction files speak about",
  needs: ["memory", "instructions"],
  schema,
  budget: "memory",
  carries: "untrusted",
  trigger({ memory }, said) {
    const due = new Map<string, (typeof memory.pending)[number]>();
    for (const edge of memory.pending) {
      const version = `${edge.key} ${edge.hash}`;
      if (!edge.again || (!due.has(version) && said.about(version).count === 0)) due.set(version, edge);
    }
    if (due.size === 0) return skip(whyNone(memory));
    const told = [...due].map(([key, { id, path, content, kind, reason }]) => ({
      data: { path, content, kind, reason },
      key,
      covers: [id],
    }));
    return withNote(told, beside(memory));
  },
  render: ({ path, content }) => `Contents of ${pathInText(path)}:\n\n${markHeadings(content)}`,
  rest: ({ path }, { tools }) => {
    const read = tools.tool("Read");
    return read === undefined ? `${path} has the rest` : `use ${read} on ${path} for the rest`;
  },
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

interface LookUps {
  touched: readonly string[];
  asked: readonly string[];
  silent: readonly { path: string; reason: string }[];
  said: Readonly<Record<string, string>>;
}

function beside({ silent }: LookUps): string | undefined {
  return leftOut(
    "left out, or with a problem",
    silent.map(({ path, reason }) => ({ name: path, reason })),
  );
}

function whyNone(memory: LookUps): string {
  const { touched, asked, said } = memory;
  if (touched.length > 0) return `${touched.length} touched paths could not be looked up yet`;
  const last = asked.at(-1);
  if (last === undefined) return "no path was touched yet that instructions could speak about";
  const left = beside(memory);
  if (left !== undefined) return `nothing new speaks about ${last}; ${left}`;
  const count = Object.keys(said).length;
  return count === 0
    ? `no instruction file speaks about ${last}`
    : `no path was touched since; ${count === 1 ? "1 instruction file was" : `${count} instruction files were`} said and in view then`;
}
