// Skill: returns the text of a skill. It stays in force and is sent again after compaction.

import type { Skill } from "sotto/inspect";
import { z } from "zod";
import { line, quoted } from "../untrusted-text.ts";
import type { Tool } from "./tool.ts";
import { defineTool } from "./tool.ts";

const input = z.strictObject({
  skill: z.string().min(1).describe("The name of a skill"),
  args: z.string().optional().describe("What to apply it to"),
});
type Input = z.infer<typeof input>;

// Longer lists cost too much in every request.
const MOST_LIST = 15_000;

/** Its description lists the available skills. */
export function skillTool(skills: readonly Skill[]): Tool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return defineTool<Input>({
    name: "Skill",
    description: `Gives you a skill: a text about how something is done here. If one fits the task, use it before you start. Skills:\n${listOf(skills)}`,
    input,
    kind: "read",
    title: ({ skill }) => `Skill ${skill}`,
    async run({ skill: name, args = "" }, { session }) {
      const skill = byName.get(name);
      if (skill === undefined)
        throw new Error(`there is no skill "${name}"; available: ${[...byName.keys()].join(", ")}`);
      const content = await skill.read().catch((error: unknown) => {
        throw new Error(`${skill.path}: ${(error as Error).message}`);
      });
      await session.record({ type: "skill_invoked", name, path: skill.path, content });
      const about = args.trim() === "" ? "" : `\n\nApply it to: ${args}`;
      return {
        text: `Skill ${name}${skill.kind === "project" ? " of this project" : ""} (its files are in ${skill.directory}):\n\n${content}${about}`,
        summary: name,
      };
    },
  });
}

function listOf(skills: readonly Skill[]): string {
  const lines: string[] = [];
  let room = MOST_LIST;
  for (const { name, description, kind } of skills) {
    const whose =
      kind === "project" ? `of this project, which says of it ${quoted(description)}` : line(description);
    const entry = `- ${name}: ${whose}`;
    room -= entry.length + 1;
    lines.push(room < 0 ? `- ${name}` : entry);
  }
  return lines.join("\n");
}
