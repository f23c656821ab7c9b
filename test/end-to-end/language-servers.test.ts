// `sotto run` with real language servers: the agent breaks a type, and hears of it from the server in a later turn.

import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runSotto, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { type ModelServer, startModelServer } from "../support/servers/model-server.ts";
import { witness } from "../support/witness.ts";

const BIN = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));
const SYSTEM = "/usr/local/bin:/usr/bin:/bin";

let cwd: string;
let server: ModelServer | undefined;
beforeEach(() => {
  cwd = temporaryDirectory();
});
afterEach(() => server?.close());

const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });
const languages = [
  {
    file: "sum.ts",
    server: "typescript-language-server",
    before: "export const sum = (a: number, b: number): number => a + b;\n",
    after: "export const sum = (a: number, b: number): string => a + b;\n",
    message: "Line 1: [error] Type 'number' is not assignable to type 'string'.",
  },
  {
    file: "total.py",
    server: "pyright-langserver",
    before: "def total(a: int) -> int:\n    return a\n",
    after: "def total(a: int) -> str:\n    return a\n",
    message: 'Line 2: [error] Type "int" is not assignable to return type "str"',
  },
];

/** Reads, writes, and then works on until it is told, or for so many turns. */
async function agent({ file, after }: (typeof languages)[number], turns: number) {
  server = await startModelServer({
    provider: "anthropic",
    script(body, index) {
      if (index === 0) return call("Read", { file_path: file });
      if (index === 1) return call("Write", { file_path: file, content: after });
      const isTold = JSON.stringify(body).includes("<new-diagnostics>");
      if (isTold || index >= turns) return { text: isTold ? "I was told." : "Nobody told me." };
      return call("Bash", { command: "sleep 0.5", description: "Work on" });
    },
  });
  return server;
}

function work(path: string) {
  const state = temporaryDirectory();
  const env = {
    HOME: state,
    XDG_STATE_HOME: state,
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: server?.url ?? "",
  };
  const args = ["run", "-p", "go", "--permission-mode", "all", "--max-turns", "300"];
  return runSotto(args, { cwd, env: { ...env, PATH: path } });
}

describe.each(languages)("AC-44 diagnostics of a real language server: $file", (language) => {
  it("are in the request once, from the turn on that comes after the server's word", async () => {
    writeFileSync(join(cwd, language.file), language.before);
    writeFileSync(join(cwd, "tsconfig.json"), '{ "compilerOptions": { "strict": true, "types": [] } }');
    const { requests, violations } = await agent(language, 290);
    expect((await work([BIN, SYSTEM].join(delimiter))).stdout).toBe("I was told.\n");
    const said = `<new-diagnostics>The following new diagnostic issues were detected:\n\nFile: ${join(cwd, language.file)}\n${language.message}`;
    const last = JSON.stringify(requests.at(-1)?.body);
    expect(last.split(JSON.stringify(said).slice(1, -1))).toHaveLength(2);
    expect(violations).toEqual([]);
    const from = {
      source: `a language server, behind a write to ${language.file}`,
      process: language.server,
    };
    const bodies = requests.map(({ body }) => body);
    witness("lsp_diagnostics", from, { requests: bodies, pattern: /<new-diagnostics>/u });
  });
});

it("without a server there are no diagnostics", async () => {
  const [language] = languages as [(typeof languages)[number]];
  writeFileSync(join(cwd, language.file), language.before);
  await agent(language, 6);
  expect((await work(SYSTEM)).stdout).toBe("Nobody told me.\n");
});
