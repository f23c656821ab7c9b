// Ten turns with tools and reminders through each provider's SDK package: every request valid, each a prefix of the next.

import { appendFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "sotto";
import { expect, it } from "vitest";
import { noTranscript } from "../../packages/agent/src/conversation/transcript.ts";
import { createDenyAsker } from "../../packages/agent/src/face/askers.ts";
import { resolveModel } from "../../packages/agent/src/model/resolve-model.ts";
import { openHost } from "../../packages/agent/src/open-host.ts";
import { createPermissions } from "../../packages/agent/src/tools/permissions.ts";
import { type MeasuredWire, prefixOf } from "../support/prefix.ts";
import { type ProviderName, startModelServer } from "../support/servers/model-server.ts";

const TURNS = 10;
// A pixel: reminders may carry pictures.
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const providers: readonly [string, ProviderName, MeasuredWire, string][] = [
  ["anthropic/claude-sonnet-4-5", "anthropic", "anthropic-messages", ""],
  ["openai/gpt-5", "openai-responses", "openai-responses", "/v1"],
  ["openai-chat/gpt-4.1", "openai-chat", "openai-chat", "/v1"],
  ["google/gemini-2.5-pro", "gemini", "gemini", ""],
  ["compatible/local", "openai-chat", "openai-chat", "/v1"],
];

it.each(providers)("AC-30 AC-28 AC-29 %s", async (id, provider, wire, path) => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-provider-")));
  writeFileSync(join(cwd, "AGENTS.md"), "Be brief.\n");
  writeFileSync(join(cwd, "a.txt"), "one\n");
  writeFileSync(join(cwd, "pixel.png"), PIXEL);
  let answered = 0;
  const server = await startModelServer({
    provider,
    script: () => {
      answered += 1;
      appendFileSync(join(cwd, "a.txt"), `line ${answered}\n`);
      if (answered >= TURNS) return { text: "Done." };
      const input = answered % 2 === 1 ? { file_path: "a.txt" } : { file_path: "AGENTS.md" };
      return { text: `Step ${answered}.`, toolCalls: [{ name: "Read", input }] };
    },
  });
  try {
    const chosen = await resolveModel({ model: id, baseUrl: `${server.url}${path}` }, {});
    const host = openHost({
      cwd,
      home: join(cwd, ".home"),
      sessionId: "s",
      store: createMemoryStore(),
      model: (chosen as NonNullable<typeof chosen>).model,
      window: 200_000,
      listen: () => undefined,
      asker: createDenyAsker(),
      permissions: createPermissions("ask"),
      extraDirectories: [],
      agents: [],
      transcript: noTranscript,
      stateDirectory: join(cwd, ".state"),
    });
    await host.session.record({ type: "mode_changed", mode: "plan", planFilePath: join(cwd, "plan.md") });
    const outcome = await host.agent.run("Look at @pixel.png and @a.txt", new AbortController().signal);
    await host.close();
    expect(outcome).toMatchObject({ text: "Done.", turns: TURNS });
    expect(server.violations).toEqual([]);
    const bodies = server.requests.map(({ body }) => body);
    expect(bodies).toHaveLength(TURNS);
    const prefixes = bodies.map((body) => prefixOf(wire, body));
    for (const [index, prefix] of prefixes.slice(1).entries())
      expect(
        prefix.startsWith(prefixes[index] as string),
        `request ${index + 2} continues ${index + 1}`,
      ).toBe(true);
    const last = JSON.stringify(bodies.at(-1));
    for (const words of [
      "Be brief.",
      "## Plan Workflow",
      "was modified outside this conversation",
      PIXEL.toString("base64"),
    ])
      expect(last).toContain(words);
  } finally {
    await server.close();
    rmSync(cwd, { recursive: true, force: true });
  }
});
