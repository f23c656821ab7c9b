// Agents of one conversation, and a person, write the same file in any order: each hears whose every line is.

import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHookWorld, type HookWorld } from "../support/hook-program.ts";
import { runs } from "../support/runs.ts";

const OUTSIDE = "outside this conversation";
const LINES = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`);

type Agent = "codex" | "claude-code" | "qwen-code";
const agents: Agent[] = ["codex", "claude-code", "qwen-code"];
const tools: Record<Agent, { shell: string; edit(path: string, old: string, by: string): object }> = {
  codex: {
    shell: "Bash",
    edit: (path, old, by) => ({
      tool_name: "apply_patch",
      tool_input: {
        command: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${old}\n+${by}\n*** End Patch`,
      },
    }),
  },
  "claude-code": {
    shell: "Bash",
    edit: (file_path, old_string, new_string) => ({
      tool_name: "Edit",
      tool_input: { file_path, old_string, new_string },
    }),
  },
  "qwen-code": {
    shell: "run_shell_command",
    edit: (file_path, old_string, new_string) => ({
      tool_name: "edit",
      tool_input: { file_path, old_string, new_string },
    }),
  },
};

const names = ["main", "first", "second"] as const;
type Name = (typeof names)[number];
const sayAs = (who: Name) => (who === "main" ? {} : { agent_id: who, agent_type: who });
/** What one calls another. */
const nameOf = (from: Name, to: Name) =>
  from === "main" ? "the agent that started you" : `${to === "main" ? "your" : "the"} sub-agent ${from}`;

interface Told {
  by: string;
  /** The new lines. */
  lines: string[];
}

function toldIn(text: string): Told[] {
  return text.split(/(?=Note: )/u).flatMap((note) => {
    const by = /was modified(?: by)?(.*?)\. (?:Build|Go) on/u.exec(note)?.[1]?.trim();
    const lines = [...note.matchAll(/^ *\d+ \+ (.*)$/gmu)].map(([, line = ""]) => line);
    return by === undefined ? [] : [{ by, lines }];
  });
}

let world: HookWorld;
let agent: Agent;
let path: string;
let heard: Record<Name, Told[]>;
const begin = (one: Agent) => {
  world = createHookWorld({ inProcess: true });
  // Claude Code sends its own, unless it is told otherwise.
  world.writeConfig("[system_reminder.attachments]\nchanged_files = true\n");
  agent = one;
  path = world.write("a.ts", `${LINES.join("\n")}\n`);
  heard = { main: [], first: [], second: [] };
};
afterEach(() => world.remove());

async function say(who: Name, event: Record<string, unknown>): Promise<Told[]> {
  const told = toldIn(await world.say(agent, { ...event, ...sayAs(who) }));
  heard[who].push(...told);
  return told;
}

const starts = (who: Name) => say(who, { hook_event_name: "SubagentStart" });
const stops = (who: Name) => say(who, { hook_event_name: "SubagentStop" });
const asks = (who: Name) =>
  who === "main"
    ? say(who, { hook_event_name: "UserPromptSubmit", prompt: "go on" })
    : commands(who, "true").then(() => heard[who]);
const changed = (old: string, by: string) =>
  writeFileSync(path, readFileSync(path, "utf8").replace(`${old}\n`, `${by}\n`));

async function reads(who: Name): Promise<void> {
  const use =
    agent === "codex"
      ? { tool_name: "Bash", tool_input: { command: `cat ${path}` } }
      : {
          tool_name: agent === "qwen-code" ? "read_file" : "Read",
          tool_input: { file_path: path },
        };
  const response = readFileSync(path, "utf8");
  await say(who, { hook_event_name: "PostToolUse", ...use, tool_use_id: "r", tool_response: response });
}

let calls = 0;
function editing(who: Name, line: string) {
  const by = `${line} of ${who}`;
  const use = { ...tools[agent].edit(path, line, by), tool_use_id: `e${++calls}` };
  const response = { tool_response: `Success. Updated the following files:\nM ${path}` };
  return {
    by,
    pre: () => say(who, { hook_event_name: "PreToolUse", ...use }),
    write: () => changed(line, by),
    post: () => say(who, { hook_event_name: "PostToolUse", ...use, ...response }),
  };
}

async function edits(who: Name, line: string): Promise<string> {
  const edit = editing(who, line);
  await edit.pre();
  edit.write();
  await edit.post();
  return edit.by;
}

async function commands(who: Name, command: string, does: () => void = () => undefined): Promise<void> {
  const use = { tool_name: tools[agent].shell, tool_input: { command }, tool_use_id: `c${++calls}` };
  await say(who, { hook_event_name: "PreToolUse", ...use });
  // The time of files has gone on.
  await delay(20);
  does();
  await say(who, { hook_event_name: "PostToolUse", ...use, tool_response: "" });
}

async function started(...subagents: Name[]): Promise<void> {
  await say("main", { hook_event_name: "SessionStart", source: "startup" });
  await reads("main");
  for (const one of subagents) await starts(one);
}

// Claude Code's hooks are like those of Codex.
describe.each(["codex", "qwen-code"] as const)("AC-54 %s", (one) => {
  beforeEach(() => begin(one));

  test.each(["ABab12", "ABa1b2"])("two agents edit one file side by side: %s", async (order) => {
    await started("first", "second");
    const [a, b] = [editing("first", "line 2"), editing("second", "line 3")];
    const steps: Record<string, () => unknown> = {
      ...{ A: a.pre, a: a.write, 1: a.post },
      ...{ B: b.pre, b: b.write, 2: b.post },
    };
    for (const step of order) await steps[step]?.();
    for (const who of names) await asks(who);
    const [byFirst, bySecond] = [
      { by: "the sub-agent first", lines: [a.by] },
      { by: "the sub-agent second", lines: [b.by] },
    ];
    expect(heard.first).toEqual([bySecond]);
    expect(heard.second).toEqual([byFirst]);
    expect(heard.main).toEqual([
      { by: "your sub-agent first", lines: [a.by] },
      { by: "your sub-agent second", lines: [b.by] },
    ]);
  });

  test("a command of another while an edit is under way is named as possible", async () => {
    await started("first");
    const edit = editing("main", "line 2");
    await edit.pre();
    await commands("first", "sed -i 's/line 3/three/' a.ts", () => changed("line 3", "three"));
    edit.write();
    await edit.post();
    await asks("main");
    const by = ", possibly by a command of your sub-agent first (`sed -i 's/line 3/three/' a.ts`)";
    expect(heard.main).toEqual([{ by, lines: ["three"] }]);
  });

  test("what another wrote before an edit is told with it, also if it has stopped", async () => {
    await started("first");
    const by = await edits("first", "line 3");
    await stops("first");
    await edits("main", "line 2");
    await asks("main");
    expect(heard.main).toEqual([{ by: "your sub-agent first", lines: [by] }]);
  });

  test("an edit that was refused hides nobody", async () => {
    await started("first");
    await editing("main", "line 1").pre();
    const by = await edits("first", "line 3");
    await edits("main", "line 5");
    await asks("main");
    expect(heard.main).toEqual([{ by: "your sub-agent first", lines: [by] }]);
  });

  test("what a person saves while an agent edits is that agent's to nobody", async () => {
    await started("first", "second");
    const edit = editing("first", "line 3");
    await edit.pre();
    changed("line 7", "a person's");
    edit.write();
    await edit.post();
    for (const who of names) await asks(who);
    const foreign = { by: OUTSIDE, lines: ["a person's"] };
    expect(heard.first).toEqual([foreign]);
    for (const who of ["main", "second"] as const)
      expect(heard[who]).toEqual([{ by: nameOf("first", who), lines: [edit.by] }, foreign]);
  });

  test("one that starts hears what the conversation did before as done in it, and a person's as a person's", async () => {
    await started("first");
    const by = await edits("first", "line 3");
    await stops("first");
    expect(await starts("second")).toEqual([{ by: "another agent of this conversation", lines: [by] }]);
    world.remove();
    begin(one);
    await started();
    await commands("main", "sed -i 's/line 3/three/' a.ts", () => changed("line 3", "three"));
    changed("line 7", "a person's");
    expect(await starts("first")).toEqual([
      { by: "another agent of this conversation", lines: ["three"] },
      { by: OUTSIDE, lines: ["a person's"] },
    ]);
  });
});

test("AC-54 edits of all and a person's, in any order: no line is told as another's", async () => {
  /** Who takes the next step of what is left to do. */
  const orders = fc.array(fc.constantFrom(...names, "person", "asks"), { minLength: 14, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...agents), orders, async (one, order) => {
      world?.remove();
      begin(one);
      await started("first", "second");
      const left = LINES.slice();
      const whose = new Map<string, Name | undefined>();
      const open = new Map<Name, (() => unknown)[]>();
      const next = async (who: Name) => {
        const line = left.shift();
        const edit = open.get(who)?.length || line === undefined ? undefined : editing(who, line);
        if (edit !== undefined) open.set(who, [edit.pre, edit.write, edit.post]);
        else if (line !== undefined) left.unshift(line);
        if (edit !== undefined) whose.set(edit.by, who);
        await open.get(who)?.shift()?.();
      };
      for (const step of order)
        if (step === "asks") {
          const who = names[order.indexOf(step) % 3] as Name;
          // A prompt says that none of its calls is under way.
          if (!open.get(who)?.length) await asks(who);
        } else if (step !== "person") await next(step);
        else {
          const line = left.shift();
          if (line === undefined) continue;
          changed(line, `${line} of a person`);
          whose.set(`${line} of a person`, undefined);
        }
      for (const who of names) while (open.get(who)?.length) await open.get(who)?.shift()?.();
      for (const who of names) await asks(who);
      for (const to of names) {
        const told = heard[to].flatMap(({ by, lines }) => lines.map((line) => [line, by]));
        const theirs = [...whose].filter(([, from]) => from !== to);
        const expected = theirs.map(([line, from]) => [
          line,
          from === undefined ? OUTSIDE : nameOf(from, to),
        ]);
        expect([...told].sort(), `${one}: ${to}, ${order}`).toEqual(expected.sort());
      }
    }),
    runs(10),
  );
}, 600_000);
