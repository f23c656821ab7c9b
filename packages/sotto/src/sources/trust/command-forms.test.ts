import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CommandForm, runnerForms, shellForms } from "../../../../../test/support/command-forms.ts";
import { runs } from "../../../../../test/support/runs.ts";
import { namedFiles } from "./named-files.ts";
import { namedWords } from "./named-words.ts";

const has = (program: string) => spawnSync(program, ["--version"]).status === 0;

interface Outcome {
  /** The changed file really runs. */
  ran: boolean;
  /** And trust does not end, nor says that it does not cover it. */
  isSilent: boolean;
}

async function tried({ command, files = {}, runs: path, before, after }: CommandForm): Promise<Outcome> {
  const world = realpathSync(mkdtempSync(join(tmpdir(), "sotto-forms-")));
  const root = join(world, "project");
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
    chmodSync(join(root, name), 0o755);
  };
  try {
    for (const [name, text] of Object.entries(files)) put(name, text);
    put(path, before);
    mkdirSync(join(world, "home"));
    const env = { PATH: process.env.PATH, HOME: join(world, "home"), MARK: join(world, "mark") };
    if (command.includes("git")) spawnSync("git", ["init", "-q", root], { env });
    const content = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
    const named = () => namedFiles({ path: join(root, ".sotto/hooks.json"), content, cwd: root, root });
    const trusted = await named();
    put(path, after);
    const isSame = JSON.stringify(await named()) === JSON.stringify(trusted);
    const { unknown } = namedWords({ words: [command], env: {} });
    spawnSync("sh", ["-c", command], { cwd: root, env: { ...env, CLAUDE_PROJECT_DIR: root } });
    return { ran: existsSync(env.MARK), isSilent: isSame && unknown.length === 0 };
  } finally {
    rmSync(world, { recursive: true });
  }
}

function holds(forms: readonly CommandForm[], count: number): Promise<void> {
  const property = fc.asyncProperty(fc.constantFrom(...forms), async (form) => {
    const { ran, isSilent } = await tried(form);
    expect(ran && isSilent).toBe(false);
  });
  return fc.assert(property, runs(count)) as Promise<void>;
}

describe("AC-50 a changed file that a command runs ends trust, or trust says that it is not covered", () => {
  it("AC-50 however the shell's text names it", () => holds(shellForms({ hasBash: has("bash") }), 1200));

  it("AC-50 if a program finds it by itself", () => holds(runnerForms(has), 160));

  it("AC-50 and the commands really run it", async () => {
    const forms = [...shellForms({ hasBash: false }).slice(0, 8), ...runnerForms((name) => name === "node")];
    for (const form of forms) expect({ ...form, ...(await tried(form)) }).toMatchObject({ ran: true });
  });
});
