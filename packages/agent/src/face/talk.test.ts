// A conversation as it is typed, while the agent rests and while it works, against a strict server on loopback.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "sotto";
import { catalogue } from "sotto/inspect";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type ReceivedRequest,
  type Script,
  startModelServer,
} from "../../../../test/support/servers/model-server.ts";
import type { AgentEvent } from "../agent-events.ts";
import { openRun } from "../open-run.ts";
import { createPermissions } from "../tools/permissions.ts";
import { createDenyAsker } from "./askers.ts";
import { slashNames } from "./slash-commands.ts";
import { createTalk, type Talk } from "./talk.ts";

async function start(script: (talk: Talk) => Script) {
  const server = await startModelServer({
    provider: "anthropic",
    script: (body, index) => {
      const steps = script(talk);
      return typeof steps === "function" ? steps(body, index) : (steps[index] ?? { text: "Nothing more." });
    },
  });
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-talk-")));
  const events: AgentEvent[] = [];
  const store = createMemoryStore();
  const run = await openRun({
    cwd,
    model: "anthropic/claude-test",
    baseUrl: server.url,
    usualScenario: "",
    store,
    readConfig: false,
    permissions: createPermissions("all"),
    extraDirectories: [],
    denyRead: [],
    ide: false,
    asker: createDenyAsker(),
    listen: (event) => events.push(event),
  });
  onTestFinished(async () => {
    await run.close();
    await store.close();
    await server.close();
    rmSync(cwd, { recursive: true, force: true });
  });
  const printed: string[] = [];
  const talk = createTalk({
    run,
    listen: (event) => events.push(event),
    print: (text) => printed.push(text),
  });
  return {
    talk,
    run,
    server,
    printed,
    type: (...lines: string[]) => talk.converse(async () => lines.shift()),
    notices: () => events.flatMap((event) => (event.type === "notice" ? [event.text] : [])),
    /** What the user said, in the order in which the model has it. */
    heard: () => server.requests.map(typedIn),
  };
}

function typedIn({ body }: ReceivedRequest): string[] {
  const { messages } = body as { messages: { role: string; content: { type: string; text?: string }[] }[] };
  return messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => content.map(({ text = "" }) => text))
    .filter((text) => text !== "" && !text.includes("<system-reminder>"));
}

const call = { toolCalls: [{ name: "Glob", input: { pattern: "*" } }] };

describe("typed while the agent works", () => {
  test.each([
    ["/cost", "No calls yet."],
    ["/help", "/rewind [turn]"],
    ["/explain token_usage", "token_usage: "],
    ["/model", "The model is anthropic/claude-test."],
    ["/todo", "The todo list is empty."],
    ["/tasks", "There are no background tasks"],
    ["/style", "explanatory"],
    ["/mail", "This agent has no mailbox"],
    ["/cots", 'did you mean "/cost"?'],
    ["/cost now", '/cost takes no argument, got "now"'],
  ])("%s is answered at once", async (line, words) => {
    const { type, notices, heard } = await start((talk) => (_, index) => {
      if (index === 0) talk.queue(line);
      return index === 0 ? call : { text: "Done." };
    });
    await type("go");
    expect(notices()).toEqual([expect.stringContaining(words)]);
    expect(heard()).toEqual([["go"], ["go"]]);
  });

  test.each([
    ...["/plan", "/delegate", "/compact", "/clear", "/rewind", "/rewind 1", "/exit", "/style learning"],
    ...["/model openai/gpt-5", "/mail ada hello", "/CLEAR"],
  ])("%s is refused in one line", async (line) => {
    const { type, notices, heard, run } = await start((talk) => (_, index) => {
      if (index === 0) talk.queue(line);
      return index === 0 ? call : { text: "Done." };
    });
    await type("go", "and on");
    const [name = ""] = line.toLowerCase().split(" ");
    expect(notices()).toEqual([`${name} cannot run while the agent works: wait, or stop it with Ctrl-C.`]);
    expect(heard()).toEqual([["go"], ["go"], ["go", "and on"]]);
    expect(run.modelName).toBe("anthropic/claude-test");
  });

  test("no command reaches the model, in the middle or at the end of the work", async () => {
    const { type, server } = await start((talk) => (_, index) => {
      for (const name of slashNames) talk.queue(name);
      return index === 0 ? call : { text: "Done." };
    });
    await type("go");
    const said = JSON.stringify(server.requests.map(({ body }) => body));
    expect(slashNames.filter((name) => said.includes(`"${name}"`) || said.includes(`\\n${name}\\n`))).toEqual(
      [],
    );
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    ["/etc/hosts is wrong", "/etc/hosts is wrong"],
    ["//plan is a command", "/plan is a command"],
  ])("%s is a prompt, as it is when the agent rests", async (line, sent) => {
    const { type, heard } = await start((talk) => (_, index) => {
      if (index === 0) talk.queue(line);
      return { text: "Done." };
    });
    await type("go");
    await type(line);
    expect(heard()).toEqual([["go"], ["go", sent], ["go", sent, sent]]);
  });
});

describe("lines that still wait when the agent is stopped", () => {
  test.each([
    [
      "in the middle of a call",
      (talk: Talk): Script =>
        (_, index) => {
          if (index > 0) return { text: "Fine." };
          talk.queue("one");
          talk.queue("two");
          talk.abort();
          return { text: "Never heard.", delayMs: 60_000 };
        },
    ],
    [
      "by an error",
      (talk: Talk): Script =>
        (_, index) => {
          if (index > 0) return { text: "Fine." };
          talk.queue("one");
          talk.queue("two");
          return { status: 401, error: "bad key" };
        },
    ],
  ])("%s: they are told, and go before the next prompt", async (_, script) => {
    const { type, printed, heard } = await start(script);
    await type("go", "three", "four");
    expect(printed).toEqual([
      "2 messages are still waiting: “one”, “two”. They will be sent with your next prompt.",
    ]);
    expect(heard().slice(1)).toEqual([
      ["go", "one", "two", "three"],
      ["go", "one", "two", "three", "four"],
    ]);
  });

  test("what a call without an answer had is told, too, and is heard once", async () => {
    const { type, printed, server } = await start((talk) => (_, index) => {
      if (index === 0) talk.queue("one");
      if (index === 0) return call;
      if (index > 1) return { text: "Fine." };
      talk.abort();
      return { text: "Never heard.", delayMs: 60_000 };
    });
    await type("go", "two");
    expect(printed).toEqual(["1 message is still waiting: “one”. It will be sent with your next prompt."]);
    expect(JSON.stringify(server.requests.at(-1)?.body).match(/following message:\\none/gu)).toHaveLength(1);
  });

  test("at the end of the session it says what was not sent", async () => {
    const { type, printed, server } = await start((talk) => () => {
      talk.queue("one");
      talk.end();
      return { text: "Never heard.", delayMs: 60_000 };
    });
    await type("go", "two");
    expect(printed).toEqual(["1 message was not sent: “one”."]);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["queued", 0],
    ["in a call without an answer", 1],
  ])("/clear says that they still wait: %s", async (_, failing) => {
    const { type, printed, server } = await start((talk) => (_, index) => {
      if (index === 0) talk.queue("one thing");
      if (index === failing) return { status: 401, error: "bad key" };
      return index === 0 ? call : { text: "Fine." };
    });
    await type("go", "/clear", "two");
    expect(printed.at(-1)).toBe(
      "1 message is still waiting: “one thing”. It will be sent with your next prompt.",
    );
    const last = JSON.stringify(server.requests.at(-1)?.body);
    expect(['"go"', "one thing", '"two"'].map((text) => last.split(text).length - 1)).toEqual([0, 1, 1]);
  });
});

const types = new Set(catalogue.map(({ type }) => type));
const generators = [...new Set(catalogue.map(({ generator }) => generator))].filter(
  (name) => !types.has(name),
);

test("/explain shows types, also when it is asked for a generator", async () => {
  const { type, printed } = await start(() => () => ({ text: "Fine." }));
  await type("a", ...generators.map((name) => `/explain ${name}`));
  const pages = printed.slice(-generators.length);
  for (const [index, name] of generators.entries()) {
    const named = catalogue.filter(({ generator }) => generator === name);
    for (const one of named) expect(pages[index]).toContain(`  ${one.type}: `);
    expect(pages[index]).not.toMatch(new RegExp(`\\b${name}\\b`, "u"));
  }
});

describe("/rewind says what is so", () => {
  test.each([
    [["/rewind"], "There is no turn to go back to yet."],
    [["/rewind 99"], "There is no turn to go back to yet."],
    [["a", "/rewind 99"], "There is no turn 99: there is 1 turn so far."],
    [["a", "b", "c", "/rewind 99"], "There is no turn 99: there are 3 turns so far."],
    [["a", "b", "/rewind 2"], "Rewound to the end of turn 2."],
    [["a", "b", "c", "/rewind"], "Rewound to the end of turn 2."],
    [["a", "b", "c", "/rewind", "/rewind"], "Rewound to the end of turn 1."],
    [["a", "/rewind"], "There is no earlier turn. The earliest you can go back to is turn 1."],
    [
      ["a", "/clear", "/rewind 1"],
      "Turn 1 is no longer in the conversation: it was cleared, compacted or rewound. There is no turn left to go back to.",
    ],
    [
      ["a", "/clear", "b", "/rewind 1"],
      "Turn 1 is no longer in the conversation: it was cleared, compacted or rewound. The earliest you can go back to is turn 2.",
    ],
    [
      ["a", "/compact", "/rewind 1"],
      "Turn 1 is no longer in the conversation: it was cleared, compacted or rewound. There is no turn left to go back to.",
    ],
    [["a", "b", "c", "/rewind 1", "/rewind 3"], "There is no turn 3: there is 1 turn so far."],
  ])("%j", async (lines, words) => {
    const { type, printed } = await start(() => () => ({ text: "Fine." }));
    await type(...lines);
    expect(printed.at(-1)).toContain(words);
  });
});
