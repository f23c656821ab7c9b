// The examples for the AI SDK as programs of their own, against a loopback server.

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { openPlace, times } from "../support/ai-sdk-agent.ts";
import { type ProviderName, startModelServer } from "../support/servers/model-server.ts";

const run = promisify(execFile);
const CHANGED = "was modified outside this conversation";

it.each([
  ["agent.ts", "anthropic", "anthropic/claude-sonnet-4-5"],
  ["agent.ts", "openai-responses", "openai/gpt-5"],
  ["steps.ts", "anthropic", "anthropic/claude-sonnet-4-5"],
  ["steps.ts", "openai-responses", "openai/gpt-5"],
] satisfies [string, ProviderName, string][])(
  "AC-30 examples/ai-sdk/%s, %s",
  async (file, provider, model) => {
    const place = openPlace();
    place.write("notes.txt", "Buy milk.\n");
    const server = await startModelServer({
      provider,
      script: (_, index) => {
        if (index === 1) place.write("notes.txt", "Buy bread.\n");
        if (index === 0) return { toolCalls: [{ name: "read_file", input: { path: "notes.txt" } }] };
        return { text: index === 1 ? "Milk." : "Bread." };
      },
    });
    const address = `${server.url}/v1`;
    const program = resolve(import.meta.dirname, "../../examples/ai-sdk", file);
    const { stdout } = await run(
      process.execPath,
      ["--conditions=sotto-source", program, "What do the notes say?", "And now?"],
      {
        cwd: place.cwd,
        env: {
          ...process.env,
          ...{ HOME: place.cwd, MODEL: model, ANTHROPIC_API_KEY: "none", OPENAI_API_KEY: "none" },
          ...{ ANTHROPIC_BASE_URL: address, OPENAI_BASE_URL: address },
        },
      },
    );
    await server.close();
    place.remove();
    expect(stdout).toBe("Milk.\nBread.\n");
    expect(server.violations).toEqual([]);
    expect(server.requests.map(({ body }) => times(body, CHANGED))).toEqual([0, 0, 1]);
  },
);
