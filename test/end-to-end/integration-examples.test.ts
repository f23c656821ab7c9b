import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { timesIn } from "../support/integration-stage.ts";
import { type ProviderName, startModelServer } from "../support/servers/model-server.ts";

const run = promisify(execFile);

it.each<[string, string, ProviderName, (url: string) => Record<string, string>]>([
  ["AC-30", "anthropic", "anthropic", (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none" })],
  [
    "AC-28",
    "openai",
    "openai-responses",
    (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "none" }),
  ],
  ["AC-29", "google-genai", "gemini", (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none" })],
])(
  "%s examples/%s works as it stands, and tells of a file that somebody else changed",
  async (_, name, provider, environment) => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), "sotto-example-")));
    const notes = join(directory, "notes.txt");
    await writeFile(notes, "one\n");
    await writeFile(join(directory, "other.txt"), "other\n");
    const use = (id: string, tool: string, path = "notes.txt") => ({
      toolCalls: [{ id, name: tool, input: { path, content: "three\n" } }],
    });
    const server = await startModelServer({
      provider,
      script: [
        ...[use("call_1", "read"), use("call_2", "read", "other.txt"), use("call_3", "write")],
        { text: "All done." },
      ],
      // Somebody else writes while the model thinks about what it has read.
      onRequest: ({ index }) => void (index === 1 && writeFileSync(notes, "two\n")),
    });
    const example = fileURLToPath(new URL(`../../examples/${name}/main.ts`, import.meta.url));
    const { stdout } = await run(
      process.execPath,
      ["--conditions=sotto-source", example, directory, "Tidy up notes.txt."],
      {
        env: {
          ...process.env,
          ...environment(server.url),
          XDG_STATE_HOME: directory,
          SOTTO_TIMEOUT_MS: "30000",
        },
      },
    );
    await server.close();
    expect(stdout).toBe("All done.\n");
    expect(server.violations).toEqual([]);
    expect(await readFile(notes, "utf8")).toBe("three\n");
    expect(server.requests.map(({ raw }) => timesIn(raw, "was modified"))).toEqual([0, 0, 1, 1]);
    await rm(directory, { recursive: true });
  },
);
