// Compaction as programs do it: what people said is in what is summarised, or in the first request behind the summary.

import { realpathSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import { finished, sottoHere, startSotto, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { createHookWorld } from "../support/hook-program.ts";
import { type ModelServer, type Script, startModelServer } from "../support/servers/model-server.ts";

describe("sotto run", () => {
  let cwd: string;
  let home: string;
  let server: ModelServer;
  beforeEach(() => {
    cwd = realpathSync(temporaryDirectory());
    home = temporaryDirectory();
  });
  afterEach(() => server.close());

  const serve = async (script: Script) => {
    server = await startModelServer({ provider: "anthropic", script });
  };
  const options = () => ({
    cwd,
    env: { HOME: home, XDG_STATE_HOME: home, ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url },
  });
  const isSummary = (body: unknown) => JSON.stringify(body).includes("You summarise");
  const requests = () => server.requests.map(({ body }) => ({ isSummary: isSummary(body), body }));
  /** Which of the letters stand in it, and how often. */
  const letters = (body: unknown) =>
    [...JSON.stringify(body).matchAll(/<teammate-message [^>]*>\\n(LETTER-\d+)/gu)].map(([, name]) => name);
  const send = (text: string) =>
    sottoHere(["send", "parsers/grace", text, "--from", "ada"], options()).then(({ code }) =>
      expect(code).toBe(0),
    );

  test("AC-35 --mailbox, /compact: the summariser reads the letters, and nobody hears them twice", async () => {
    await serve((body) => ({ text: isSummary(body) ? "Work was done." : "Fine." }));
    await send("LETTER-1");
    await send("LETTER-2");
    const typed = ["go", "/compact", "and now?", "/compact", "and then?", ""].join("\n");
    await sottoHere(["run", "--mailbox", "parsers/grace"], { ...options(), input: typed });
    expect(requests().map((one) => [one.isSummary, letters(one.body)])).toEqual([
      [false, ["LETTER-1", "LETTER-2"]],
      [true, ["LETTER-1", "LETTER-2"]],
      [false, []],
      // They are part of the first summary, which stands in the history now.
      [true, []],
      [false, []],
    ]);
    expect(JSON.stringify(requests()[1]?.body)).toContain(
      '<teammate-message teammate_id=\\"ada\\">\\nLETTER-1',
    );
    expect(JSON.stringify(requests()[2]?.body)).toContain("Work was done.");
    expect(server.violations).toEqual([]);
  });

  test("AC-35 --mailbox, compacted by itself, six times: each letter is in one summary", async () => {
    const talk = `echo ${"a long line of output ".repeat(120)}`;
    let [sent, summaries] = [0, 0];
    await serve((body) => {
      if (isSummary(body)) return { text: `Summary ${++summaries}.` };
      if (summaries >= 6) return { text: "Done." };
      return {
        toolCalls: [{ name: "Bash", input: { command: `${talk} && ${mail()}`, description: "Talk" } }],
      };
    });
    /** Another process writes while the agent works. */
    const mail = () => {
      const command = `"${process.execPath}" "${built().main}"`;
      return `${command} send parsers/grace LETTER-${++sent} --from ada >/dev/null`;
    };
    const flags = ["--mailbox", "parsers/grace", "--permission-mode", "all", "--window", "4200"];
    const { code } = await sottoHere(["run", "-p", "go", ...flags], options());
    expect(code).toBe(0);
    expect(summaries).toBe(6);
    const summed = requests().flatMap((one) => (one.isSummary ? letters(one.body) : []));
    expect(summed).toEqual([...new Set(summed)]);
    // What came behind the last summary stands in the last request; nothing else is missing.
    const left = letters(requests().at(-1)?.body).filter((letter) => !summed.includes(letter));
    expect([...summed, ...left]).toEqual(Array.from({ length: sent }, (_, index) => `LETTER-${index + 1}`));
    expect(server.violations).toEqual([]);
  });

  test("AC-35 killed while the summary is made: the letter is in the next request, once", async () => {
    await serve((body) => (isSummary(body) ? { text: "Late.", delayMs: 600_000 } : { text: "Fine." }));
    await send("LETTER-1");
    const run = ["run", "--mailbox", "parsers/grace"];
    await sottoHere(run, { ...options(), input: "go\n" });
    const child = startSotto([...run, "--resume"], options());
    const ended = finished(child);
    child.stdin?.write("/compact\n");
    while (!requests().some((one) => one.isSummary)) await new Promise((resolve) => setImmediate(resolve));
    child.kill("SIGKILL");
    await ended;
    await sottoHere([...run, "--resume"], { ...options(), input: "and now?\n" });
    expect(letters(requests().at(-1)?.body)).toHaveLength(1);
  });
});

describe("agents that compact by themselves", () => {
  test.each(["claude-code", "codex"])(
    "AC-35 %s: a letter comes again, as an old one, once",
    async (agent) => {
      const world = createHookWorld({ inProcess: true });
      try {
        const say = (event: Record<string, unknown>) => world.say(agent, event);
        await say({ hook_event_name: "SessionStart", source: "startup" });
        const timestamp = "2026-11-15T10:00:00Z";
        const letter = {
          type: "message_received",
          id: "m1",
          from: "ada",
          text: "LETTER-1",
          timestamp,
        } as const;
        await world.happen(`${agent}/s1`, letter);
        expect(await say({ hook_event_name: "UserPromptSubmit", prompt: "go" })).toContain("LETTER-1");
        await say({ hook_event_name: "Stop" });
        const back = await say({ hook_event_name: "SessionStart", source: "compact" });
        expect(back).toMatch(
          /teammate_id="ada" note="not new: sent before this conversation was summarised"/u,
        );
        expect(back.match(/LETTER-1/gu)).toHaveLength(1);
        expect(await say({ hook_event_name: "UserPromptSubmit", prompt: "on" })).not.toContain("LETTER-1");
      } finally {
        world.remove();
      }
    },
  );
});
