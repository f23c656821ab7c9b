// Long texts full of tags, as a user may paste them or a tool may return them: a turn takes about as long as for any other text.

import { anthropicMessages } from "sotto";
import { expect, it } from "vitest";
import { startEffort } from "../support/effort.ts";
import { openSession } from "../support/telling.ts";

const LENGTH = 3_000_000;
// A second on a calm machine. What is quadratic takes minutes.
const MOST_MS = 40_000;

const reminder = (index: number) => `Keep file ${index} as it is, until the next release is out at last.`;
const units = {
  opened: "<system-reminder>",
  "opened, each on a line": "<system-reminder>\n",
  whole: "<system-reminder>x</system-reminder>",
  closed: "</system-reminder>",
  "without an end": "<system-reminder",
  "of another kind": '<teammate-message teammate_id="a">',
  "as ours begin": "<system-reminder>\nKeep file ",
  nested: "<system-reminder><system-reminder>x</system-reminder>",
};

it.each(Object.entries(units))("tags that are %s", async (_, unit) => {
  const session = openSession({ config: { timeout_ms: 60_000 } });
  const text = unit.repeat(LENGTH / unit.length);
  const said: object[] = [{ role: "user", content: "Begin." }];
  for (let index = 0; index < 30; index++)
    await session.record({ type: "prompt_queued", id: `q${index}`, prompt: reminder(index) });
  const ask = async (...messages: object[]) => {
    const body = { messages: [...said, ...messages] as never };
    const turn = await session.turn({ dialect: anthropicMessages, body });
    expect(turn.problem).toBeUndefined();
    await turn.commit();
  };
  await ask();
  const call = { type: "tool_use", id: "c1", name: "Read", input: { file_path: "a.md" } };
  const result = { type: "tool_result", tool_use_id: "c1", content: text };
  const effort = startEffort();
  await ask({ role: "assistant", content: "Go on." }, { role: "user", content: text });
  await ask({ role: "assistant", content: [call] }, { role: "user", content: [result] });
  expect(effort()).toBeLessThan(MOST_MS);
  await session.close();
});
