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

async function commands(who: Name, command: string, does: () => unknown = () => undefined): Promise<void> {
  const use = { tool_name: tools[agent].shell, tool_input: { command }, tool_use_id: `c${++calls}` };
  await say(who, { hook_event_name: "PreToolUse", ...use });
  // The time of files has gone on.
  await delay(20);
  await does();
  await say(who, { hook_event_name: "PostToolUse", ...use, tool_response: "" });
}

async function started(...subagents: Name[]): Promise<void> {
  await say("main", { hook_event_name: "SessionStart", source: "startup" });
  await reads("main");
  for (const one of subagents) await starts(one);
}

test.each(["claude-code", "qwen-code"] as const)(
  "AC-54 %s: the agent edits lines that it gave with another indentation, a person wrote beside it before",
  async (one) => {
    begin(one);
    await started();
    changed("line 6", "line 6\nperson");
    const edit = tools[one].edit(path, "    line 2\n  line 3", "    mine\n  line 3");
    const use = { ...edit, tool_use_id: "e" };
    await say("main", { hook_event_name: "PreToolUse", ...use });
    changed("line 2", "mine");
    await say("main", { hook_event_name: "PostToolUse", ...use, tool_response: "Success." });
    await asks("main");
    expect(heard.main).toEqual([{ by: OUTSIDE, lines: ["person"] }]);
  },
);

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

  test.each([
    ["main", "first"],
    ["main", "main"],
    ["second", "main"],
    ["first", "second"],
  ] as const)(
    "%s edits, and meanwhile a command of %s is named to all as possible",
    async (editor, runner) => {
      await started("first", "second");
      const edit = editing(editor, "line 2");
      await edit.pre();
      await commands(runner, "make three", () => changed("line 3", "three"));
      edit.write();
      await edit.post();
      for (const who of names) await asks(who);
      for (const who of names) {
        const whose =
          who === runner
            ? "your command `make three`"
            : `a command of ${nameOf(runner, who)} (\`make three\`)`;
        expect(heard[who]).toEqual([
          ...(who === editor ? [] : [{ by: nameOf(editor, who), lines: [edit.by] }]),
          { by: `, possibly by ${whose}`, lines: ["three"] },
        ]);
      }
    },
  );

  test.each(["main", "first"] as const)(
    "one that starts while %s edits hears whose that is when it is over",
    async (editor) => {
      await started("first");
      const edit = editing(editor, "line 2");
      await edit.pre();
      await commands("main", "make three", () => changed("line 3", "three"));
      edit.write();
      expect(await starts("second")).toEqual([]);
      await asks("second");
      expect(heard.second).toEqual([]);
      await edit.post();
      await asks("second");
      expect(heard.second).toEqual([
        { by: nameOf(editor, "second"), lines: [edit.by] },
        { by: ", possibly by a command of the agent that started you (`make three`)", lines: ["three"] },
      ]);
    },
  );

  test.each(["main", "first"] as const)(
    "one that starts while a command of %s runs hears of that as possible",
    async (runner) => {
      await started("first");
      await commands(runner, "make three", async () => {
        changed("line 3", "three");
        await starts("second");
      });
      await asks("second");
      const by = `, possibly by a command of ${nameOf(runner, "second")} (\`make three\`)`;
      expect(heard.second).toEqual([{ by, lines: ["three"] }]);
    },
  );

  test.each([
    ["main", "main"],
    ["main", "first"],
    ["first", "first"],
  ] as const)("edits of %s and %s whose ends are told at the same moment", async (one, other) => {
    await started("first", "second");
    const [a, b] = [editing(one, "line 2"), editing(other, "line 6")];
    await a.pre();
    await b.pre();
    changed("line 3", "a person's");
    a.write();
    b.write();
    await Promise.all([a.post(), b.post()]);
    for (const who of names) await asks(who);
    for (const to of names) {
      const told = heard[to].flatMap(({ by, lines }) => lines.map((line) => [line, by]));
      const theirs = [[one, a.by] as const, [other, b.by] as const].filter(([from]) => from !== to);
      expect(told.sort()).toEqual([
        ["a person's", OUTSIDE],
        ...theirs.map(([from, line]) => [line, nameOf(from, to)]),
      ]);
    }
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

interface Line {
  /** Unset: a person. */
  from?: Name;
  command?: string;
}

/** Whether words name who wrote a line, for one that hears of it. Only a command makes the rest of a file doubtful. */
function isRight(by: string, { from, command }: Line, to: Name): boolean {
  const isDoubtful = by.startsWith(", possibly by ");
  if (from === undefined) return by === OUTSIDE || isDoubtful;
  const whose = from === to ? `your command \`${command}\`` : nameOf(from, to);
  const name = command === undefined || from === to ? whose : `a command of ${whose} (\`${command}\`)`;
  return by === name || (isDoubtful && (by.includes(name) || by.endsWith(" or something else you ran")));
}

const EARLIER = "another agent of this conversation";
const works = ["edit", "command"] as const;
const steps = names.flatMap((who) => works.map((work) => ({ who, work })));

/** The next part of something under way, or of something new. A sub-agent starts with its first. */
const anyOrder = (of: readonly (typeof steps)[number][]) =>
  fc.array(fc.constantFrom(...of, "person" as const, ...names), { minLength: 14, maxLength: 24 });

test.each([
  { what: "edits", of: steps.filter(({ work }) => work === "edit") },
  { what: "edits and commands", of: steps },
])(
  "AC-54 $what of agents that start at any moment, and a person's, in any order: no line is told as another's",
  async ({ of }) => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...agents), anyOrder(of), async (one, order) => {
        world?.remove();
        begin(one);
        await started();
        const left = LINES.slice();
        const lines = new Map<string, Line>();
        /** What was there when it began: that may have been known already. */
        const before = new Map<Name, string>([["main", ""]]);
        const open = new Map<string, { who: Name; parts: (() => unknown)[] }>();
        const isOpen = (of: string) =>
          [...open].some(([key, { parts }]) => key.includes(of) && parts.length > 0);
        const start = async (who: Name) => {
          before.set(who, readFileSync(path, "utf8"));
          await starts(who);
        };
        const next = async ({ who, work }: (typeof steps)[number]) => {
          const key = `${who} ${work}`;
          if (!open.get(key)?.parts.length) {
            const line = left.shift();
            if (line === undefined) return;
            const { by, parts } = work === "edit" ? editOf(who, line) : commandOf(who, line);
            lines.set(by, work === "edit" ? { from: who } : { from: who, command: `make ${by}` });
            open.set(key, { who, parts });
          }
          await open.get(key)?.parts.shift()?.();
        };
        for (const step of order)
          if (step === "person") {
            // While a command runs, what changes counts as its.
            const line = isOpen("command") ? undefined : left.shift();
            if (line === undefined) continue;
            changed(line, `${line} of a person`);
            lines.set(`${line} of a person`, {});
          } else {
            const who = typeof step === "string" ? step : step.who;
            if (!before.has(who)) await start(who);
            else if (typeof step !== "string") await next(step);
            // A prompt says that none of its calls is under way.
            else if (who !== "main" || !isOpen("main")) await asks(who);
          }
        for (const { parts } of open.values()) for (const part of parts) await part();
        for (const who of names) if (!before.has(who)) await start(who);
        for (const who of names) await asks(who);
        const about = `${one}: ${JSON.stringify(order)}`;
        for (const to of names) {
          const told = heard[to].flatMap(({ by, lines }) => lines.map((line) => ({ by, line })));
          const wasThere = (line: string) => before.get(to)?.includes(`${line}\n`) === true;
          const wrong = told.filter(({ by, line }) => {
            const whose = lines.get(line) as Line;
            return (
              !isRight(by, whose, to) && !(by.endsWith(EARLIER) && wasThere(line) && whose.from !== undefined)
            );
          });
          expect(wrong, `${to}, ${about}`).toEqual([]);
          const isNews = ([line, { from, command }]: [string, Line]) =>
            (from !== to || command !== undefined) && !wasThere(line);
          const news = [...lines].filter(isNews).map(([line]) => line);
          const heardOf = told.map(({ line }) => line).filter((line) => !wasThere(line));
          expect(heardOf.sort(), `${to}, ${about}`).toEqual(news.sort());
        }
      }),
      runs(40),
    );
  },
  600_000,
);

function editOf(who: Name, line: string): { by: string; parts: (() => unknown)[] } {
  const { by, pre, write, post } = editing(who, line);
  return { by, parts: [pre, write, post] };
}

function commandOf(who: Name, line: string): { by: string; parts: (() => unknown)[] } {
  const by = `${line} by ${who}`;
  const use = {
    tool_name: tools[agent].shell,
    tool_input: { command: `make ${by}` },
    tool_use_id: `c${++calls}`,
  };
  // The time of files goes on in steps.
  const apart = () => delay(20);
  const pre = () =>
    apart()
      .then(() => say(who, { hook_event_name: "PreToolUse", ...use }))
      .then(apart);
  const post = () => say(who, { hook_event_name: "PostToolUse", ...use, tool_response: "" }).then(apart);
  return { by, parts: [pre, () => changed(line, by), post] };
}
