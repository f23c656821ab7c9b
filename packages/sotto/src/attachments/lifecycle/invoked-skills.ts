// Invoked skills whose text the model no longer has in view.

import * as v from "valibot";
import { isOutOfView } from "../../facts/facts.ts";
import { pathInText } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({
  skills: v.pipe(
    v.array(v.object({ name: v.string(), path: v.string(), content: v.string() })),
    v.minLength(1),
  ),
});

export const invokedSkills = defineAttachment({
  type: "invoked_skills",
  summary: "Invoked skills whose text is no longer in view.",
  tier: "core",
  when: "skills were invoked, and compaction or a fork took their text out of view",
  needs: ["skills", "view"],
  schema,
  repeat: "always",
  trigger({ skills: { invoked, forkedAt }, view }, { last }) {
    if (invoked.length === 0) return skip("no skill was invoked");
    const began = Math.max(view.since ?? 0, forkedAt);
    const lost = invoked.filter(({ invokedAt }) => isOutOfView({ since: began }, { seq: invokedAt }));
    if (lost.length === 0) return skip(`${invoked.length} invoked, all still in view`);
    // What was sent before a fork is in view there as well: only what came after it is missing.
    const unsent = lost.filter(({ invokedAt }) => last === undefined || last.seq < invokedAt);
    if (unsent.length === 0) return skip(`${lost.length} in force, sent in turn ${last?.turn ?? 0}`);
    return [{ data: { skills: unsent.map(({ name, path, content }) => ({ name, path, content })) } }];
  },
  render({ skills }) {
    const texts = skills.map(
      ({ name, path, content }) =>
        `### Skill: ${name.replace(/\s+/gu, " ").trim()}\nPath: ${pathInText(path)}\n\n${content}`,
    );
    return `Skills that were invoked in this session and are still in force; follow them where they apply:\n\n${texts.join("\n\n---\n\n")}`;
  },
  readMoreAt: ({ skills }, { tools }) => {
    const read = tools.tool("Read");
    const paths = skills.map(({ path }) => pathInText(path)).join(", ");
    return read === undefined ? `the skills have the rest: ${paths}` : `use ${read} for the rest: ${paths}`;
  },
  examples: [
    {
      title: "two skills",
      data: {
        skills: [
          { name: "release", path: "/repo/.claude/skills/release/SKILL.md", content: "Tag, then publish." },
          { name: "review", path: "/repo/.claude/skills/review/SKILL.md", content: "Read the tests first." },
        ],
      },
    },
  ],
});
