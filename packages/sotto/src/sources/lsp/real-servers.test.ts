// Two real language servers: what they find in what the agent wrote reaches the next turn, once.

import { execFileSync } from "node:child_process";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../../../../packages/cli/test/run-sotto.ts";
import { openStage } from "../../../../../test/support/language-servers.ts";

const BIN = fileURLToPath(new URL("../../../../../node_modules/.bin", import.meta.url));
const PATH = [BIN, process.env.PATH].join(delimiter);

const languages = [
  {
    name: "typescript",
    file: "sum.ts",
    files: {
      "tsconfig.json": '{ "compilerOptions": { "strict": true, "types": [] } }',
      "sum.ts": "export const old: string = 1;\nexport const sum = (a: number, b: number) => a + b;\n",
    },
    broken: "export const old: string = 1;\nexport const sum = (a: number, b: number): string => a + b;\n",
    message: "2 Type 'number' is not assignable to type 'string'.",
    own: "export const mine: number = 'text';\n",
    ownMessage: "1 Type 'string' is not assignable to type 'number'.",
    process: "typescript-language-server",
  },
  {
    name: "python",
    file: "sum.py",
    files: { "sum.py": "old: str = 1\n\n\ndef add(a: int, b: int) -> int:\n    return a + b\n" },
    broken: "old: str = 1\n\n\ndef add(a: int, b: int) -> str:\n    return a + b\n",
    message: '5 Type "int" is not assignable to return type "str"',
    own: 'mine: int = "text"\n',
    ownMessage: `1 Type "Literal['text']" is not assignable to declared type "int"`,
    process: "pyright/langserver",
  },
];

it.each(languages)(
  "$name: a type error the agent introduced is told by the next turn after the server reports it, once; fixed, not again; a server that is killed in the middle comes back and goes on",
  async ({ name, file, files, broken, message, own, ownMessage, process: program }) => {
    const fine = (files as Record<string, string>)[file] as string;
    // What a server that is killed leaves is removed with it.
    const environment = { ...process.env, PATH, TMPDIR: temporaryDirectory() };
    const stage = openStage({ servers: true, files, environment, timing: { backOffMs: [10, 10, 10] } });
    onTestFinished(() => stage.close());
    await stage.read(file);
    expect(await stage.told()).toEqual([]);
    await stage.write(file, broken);
    expect(await stage.untilTold()).toEqual([message]);
    expect(await stage.told()).toEqual([]);
    await stage.write(file, fine);
    await stage.until(
      async () => (await stage.published()).at(-1)?.diagnostics.every(({ line }) => line === 1) === true,
    );
    expect(await stage.told()).toEqual([]);
    const states = (await stage.source.state()).map(({ name: which, state }) => `${which} ${state}`);
    expect(states).toContain(`${name} ready`);

    killServer(program, stage.cwd);
    await stage.write(`mine.${file.split(".").at(-1)}`, own);
    expect(await stage.untilTold()).toEqual([ownMessage]);
  },
);

/** The newest process of that program that this one has started. */
function killServer(program: string, cwd: string): void {
  const list = execFileSync("ps", ["-eo", "pid,ppid,args"], { encoding: "utf8" }).split("\n");
  const own = list.filter((line) => new RegExp(`^\\s*\\d+\\s+${process.pid}\\s`, "u").test(line));
  const server = own.find((line) => line.includes(program));
  if (server === undefined) throw new Error(`there is no server for ${cwd}`);
  process.kill(Number.parseInt(server, 10), "SIGKILL");
}
