// The conversation of docs/guide/any-language.md, held with the real program.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runSotto, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { startServe } from "../../packages/cli/test/serve-client.ts";
import { misfits } from "../support/turn-schema.ts";

const page = readFileSync(new URL("../../docs/guide/any-language.md", import.meta.url), "utf8");

test("the conversation of the page goes as written there", async () => {
  const written = page.split("\n").filter((line) => /^[→←] /u.test(line));
  expect(written.length).toBeGreaterThan(10);
  const server = startServe({ cwd: temporaryDirectory() });
  const heard: unknown[] = [];
  let turn = "";
  for (const line of written) {
    const text = line.slice(2);
    if (line.startsWith("→")) {
      const message = text.replace('"turn":"…"', `"turn":"${turn}"`);
      expect(misfits("serveRequest", JSON.parse(message)).length > 0).toBe(text.includes("mode_chnged"));
      server.write(`${message}\n`);
      continue;
    }
    const answer = await nextLine(server.lines, heard.length);
    heard.push(answer);
    expect(misfits("serveAnswer", answer)).toEqual([]);
    expect(filled(JSON.parse(text), answer)).toEqual(answer);
    turn = (answer as { result?: { turn?: string } }).result?.turn ?? turn;
  }
  expect((await server.ended).code).toBe(0);

  async function nextLine(lines: readonly string[], index: number): Promise<unknown> {
    while (lines.length <= index) await new Promise((resolve) => server.child.stdout.once("data", resolve));
    return JSON.parse(lines[index] as string);
  }
});

test("the command of the page works as written there", async () => {
  const [, input = ""] = /^echo '(\{.*\})' \|$/mu.exec(page) ?? [];
  const state = temporaryDirectory();
  const ran = await runSotto(["turn", "--session", "build-7"], { input, env: { XDG_STATE_HOME: state } });
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
  expect(misfits("turnOutput", JSON.parse(ran.stdout))).toEqual([]);
  expect(JSON.parse(ran.stdout).reminders).toHaveLength(1);
});

/** What is written, with what came in the places of the page's "…". */
function filled(written: unknown, came: unknown): unknown {
  if (typeof written === "string" && written.endsWith("…")) {
    const start = written.slice(0, -1);
    return start === "" || (typeof came === "string" && came.startsWith(start)) ? came : written;
  }
  if (Array.isArray(written)) {
    if (written.length === 1 && written[0] === "…") return came;
    return written.map((one, index) => filled(one, (came as unknown[] | undefined)?.[index]));
  }
  if (typeof written !== "object" || written === null) return written;
  const there = (came ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(written).map(([key, one]) => [key, filled(one, there[key])]));
}
