import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says } from "../../../../../test/support/telling.ts";
import { invokedSkills } from "./invoked-skills.ts";

const invoke = (name: string, content = `How to ${name}.`) =>
  ({ type: "skill_invoked", name, path: `/skills/${name}.md`, content }) as const;

async function toldIn(session: ReturnType<typeof openSession>): Promise<string[]> {
  const { attachments } = await answered(session);
  const skills = attachments.filter(({ type }) => type === "invoked_skills");
  return skills.flatMap(({ data }) =>
    (data as { skills: { name: string; content: string }[] }).skills.map(({ content }) => content),
  );
}

it("AC-2 has each skill with its path and its text", () => {
  expect(examplesAsRead(invokedSkills)).toMatchInlineSnapshot(`
    "# two skills
    <system-reminder>
    Skills that were invoked in this session and are still in force; follow them where they apply:

    ### Skill: release
    Path: /repo/.claude/skills/release/SKILL.md

    Tag, then publish.

    ---

    ### Skill: review
    Path: /repo/.claude/skills/review/SKILL.md

    Read the tests first.
    </system-reminder>"
  `);
});

it("is silent while the text is in view, and AC-36 says all skills in force once after compaction", async () => {
  const session = openSession();
  expect(outcomeOf(await answered(session), "invoked_skills")).toBe("nothing: no skill was invoked");
  await session.record(invoke("release", "Old."));
  await session.record(invoke("review"));
  await session.record(invoke("release"));
  expect(outcomeOf(await answered(session), "invoked_skills")).toBe("nothing: 2 invoked, all still in view");
  await session.record({ type: "compacted" });
  expect(await toldIn(session)).toEqual(["How to review.", "How to release."]);
  expect(outcomeOf(await answered(session), "invoked_skills")).toBe("nothing: 2 in force, sent in turn 3");
});

it("one invoked since the compaction is in view by itself, until the next", async () => {
  const session = openSession();
  await session.record(invoke("review"));
  await session.record({ type: "compacted" });
  await session.record(invoke("release"));
  expect(await toldIn(session)).toEqual(["How to review."]);
  await session.record({ type: "compacted" });
  expect(await toldIn(session)).toEqual(["How to review.", "How to release."]);
});

it("a fork is told what it may not have in view, and not what was said before", async () => {
  const session = openSession();
  await session.record(invoke("review"));
  await session.record({ type: "compacted" });
  expect(await toldIn(session)).toEqual(["How to review."]);
  await session.record(invoke("release"));
  await answered(session);
  const fork = await session.fork();
  expect(await toldIn(fork)).toEqual(["How to release."]);
  expect(await toldIn(fork)).toEqual([]);
  expect(says(await answered(session), "invoked_skills")).toBe(false);
});

it("a lost turn loses nothing, and a cleared session has none", async () => {
  const session = openSession();
  await session.record(invoke("review"));
  await session.record({ type: "compacted" });
  await (await session.turn()).abandon();
  expect(await toldIn(session)).toEqual(["How to review."]);
  await session.record({ type: "session_started", reason: "clear" });
  expect(outcomeOf(await answered(session), "invoked_skills")).toBe("nothing: no skill was invoked");
});

it("a sub-agent is not told its parent's skills", async () => {
  const session = openSession();
  await session.record(invoke("review"));
  const child = session.subagent({ agentType: "Explore" });
  expect(await toldIn(child)).toEqual([]);
});
