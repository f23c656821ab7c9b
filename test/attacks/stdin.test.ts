// Whoever feeds `sotto turn` and `sotto serve`: hostile JSON is named in a line, and what was due is still said.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  runSotto,
  sottoHere,
  type TurnOutput,
  temporaryDirectory,
} from "../../packages/cli/test/run-sotto.ts";
import { startServe } from "../../packages/cli/test/serve-client.ts";

const hi = [{ role: "user", content: "hi" }];
const due = { type: "prompt_queued", id: "due", prompt: "Mind the gap." };
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const wide = Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`f${n}`, n]));

/** The input of a turn; `ends`: with which exit codes it may end. */
const hostile: Record<string, { input: string | Uint8Array; ends: number[] }> = {
  "JSON nested 200000 deep": { input: deep(200_000), ends: [2] },
  "a message nested 100000 deep": {
    input: JSON.stringify({ messages: [{ role: "user", content: [{ type: "x", data: 7 }] }] }).replace(
      "7",
      deep(100_000),
    ),
    ends: [0, 1, 2],
  },
  "300000 fields in a message": {
    input: JSON.stringify({ messages: [...hi, { role: "user", content: [{ type: "x", ...wide }] }] }),
    ends: [0, 1],
  },
  "an event of 5 MB": {
    input: JSON.stringify({
      messages: hi,
      events: [{ type: "prompt_queued", id: "x", prompt: "x".repeat(5_000_000) }],
    }),
    ends: [2],
  },
  "bytes that are no UTF-8": { input: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), ends: [2] },
  "the field __proto__": {
    input: '{"__proto__":{"polluted":1},"messages":[{"role":"user","content":"hi","__proto__":{"x":1}}]}',
    ends: [0, 2],
  },
  "__proto__ as an event and as config": {
    input:
      '{"messages":[],"config":{"__proto__":{"enabled":false}},"events":[{"type":"__proto__"},{"type":"constructor"}]}',
    ends: [2],
  },
  "half of it": { input: '{"messages":[{"role":"user","content":"', ends: [2] },
};

describe("`sotto turn` given", () => {
  it.each(Object.entries(hostile))(
    "%s ends with a line, and the next turn says what is due",
    async (_, { input, ends }) => {
      const kept = ["--session", "s", "--store", join(temporaryDirectory(), "sotto.db")];
      const first = await sottoHere(["turn", ...kept, "--no-commit"], {
        input: JSON.stringify({ messages: hi, events: [due] }),
      });
      expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: "" });
      const { code, stderr } = await runSotto(["turn", ...kept, "--no-commit"], { input });
      expect(ends).toContain(code);
      expect(stderr.trim().split("\n").length).toBe(1);
      expect(stderr).not.toMatch(/^\s+at /mu);
      expect(stderr.length).toBeLessThan(1000);
      const next = await sottoHere(["turn", ...kept], { input: JSON.stringify({ messages: hi }) });
      const { reminders } = JSON.parse(next.stdout) as TurnOutput;
      expect(reminders.map(({ text }) => text).join()).toContain("Mind the gap.");
    },
  );
});

describe("`sotto serve` given", () => {
  it("one hostile line after the other goes on, and says what is due", async () => {
    const client = startServe();
    await client.call("session/open", { id: "s", cwd: temporaryDirectory(), readConfig: false });
    const ask = (method: string, params: string) =>
      `{"jsonrpc":"2.0","id":"x","method":"${method}","params":${params}}\n`;
    const lines: (string | Uint8Array)[] = [
      `${deep(200_000)}\n`,
      ask(
        "turn",
        `{"session":"s","dialect":"anthropic-messages","body":{"messages":[{"role":"user","content":${deep(50_000)}}]}}`,
      ),
      ask(
        "session/record",
        `{"session":"s","event":{"type":"noted","attachment":{"type":"x","data":${deep(5000)}}}}`,
      ),
      ask(
        "session/record",
        `{"session":"s","event":{"type":"prompt_queued","id":"x","prompt":"${"x".repeat(5_000_000)}"}}`,
      ),
      ask("session/open", '{"__proto__":{"readConfig":false},"id":"__proto__","cwd":"/tmp"}'),
      ask("__proto__", "{}"),
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":"x","method":"'),
        Buffer.from([0xff, 0x22, 0x7d, 0x0a]),
      ]),
    ];
    for (const line of lines) {
      client.write(line);
      // The server answers in order: this one comes when the line above was dealt with.
      expect((await client.ask("session/mode", { session: "s" })).result).toEqual({ mode: "normal" });
    }
    await client.call("session/record", { session: "s", event: due });
    const turn = await client.call<TurnOutput>("turn", {
      session: "s",
      dialect: "anthropic-messages",
      messages: hi,
    });
    expect(turn.reminders.map(({ text }) => text).join()).toContain("Mind the gap.");
    for (const line of client.lines) expect(line.length).toBeLessThan(1_000_000);
    await client.call("shutdown");
    expect(await client.ended).toMatchObject({ code: 0 });
  });
});
