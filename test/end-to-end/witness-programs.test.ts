// Types that show between programs: the next day's, and those a host only notes.

import { realpathSync } from "node:fs";
import type { Entry } from "sotto/extend";
import { expect, test } from "vitest";
import { runSotto, temporaryDirectory, turnOf } from "../../packages/cli/test/run-sotto.ts";
import { startModelServer } from "../support/servers/model-server.ts";
import { type Evidence, witnessSilent } from "../support/witness.ts";
import { witnessPair } from "../support/witness-pair.ts";

// A program that believes it is yesterday.
const YESTERDAY = `data:text/javascript,${encodeURIComponent(
  "const Real = Date; const now = () => Real.now() - 86_400_000;" +
    "globalThis.Date = class extends Real { constructor(...given) { super(...(given.length ? given : [now()])); } static now = now; };",
)}`;

witnessPair(
  "the calendar",
  { date_change: { source: "a session of yesterday goes on today", process: "two runs of sotto run" } },
  async (isOn) => {
    const server = await startModelServer({ provider: "anthropic", script: () => ({ text: "Done." }) });
    try {
      const cwd = realpathSync(temporaryDirectory());
      const home = temporaryDirectory();
      const env = {
        HOME: home,
        XDG_STATE_HOME: home,
        ANTHROPIC_API_KEY: "k",
        ANTHROPIC_BASE_URL: server.url,
      };
      const sotto = async (args: string[], more: Record<string, string> = {}) => {
        const { code, stdout, stderr } = await runSotto(args, { cwd, env: { ...env, ...more } });
        expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
        return stdout;
      };
      await sotto(["run", "-p", "go"], isOn ? { NODE_OPTIONS: `--import ${YESTERDAY}` } : {});
      await sotto(["run", "-p", "and on", "--resume"]);
      expect(server.violations).toEqual([]);
      const lines = (await sotto(["log", "--json"])).trim().split("\n");
      return {
        requests: server.requests.map(({ body }) => body),
        log: lines.map((line) => JSON.parse(line) as Entry),
      };
    } finally {
      await server.close();
    }
  },
);

const noted = {
  command_permissions: { allowedTools: ["Read"] },
  structured_output: { data: { verdict: "pass" } },
  task_reminder: { content: [], itemCount: 0 },
  autocheckpointing: { checkpointId: "c1" },
  background_task_status: { taskId: "b7", status: "running" },
};

test("AC-44 what a host notes is attached, and nothing of it is said; without a note nothing is", async () => {
  const messages = [{ role: "user", content: "go" }];
  const events = Object.entries(noted).map(([type, data]) => ({
    type: "noted",
    attachment: { type, ...data },
  }));
  const told = await turnOf({ events, messages });
  const evidence: Evidence = {
    requests: [told.request],
    log: [],
    attached: told.attachments.map(({ type }) => type),
  };
  for (const type of Object.keys(noted))
    witnessSilent(type, { source: "a host's note, on stdin", process: "sotto turn" }, evidence);
  expect(told.request).toEqual({ messages });
  expect((await turnOf({ events: [], messages })).attachments).toEqual([]);
});
