// A program that is killed outright leaves no language server behind.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PATH = [join(ROOT, "node_modules/.bin"), process.env.PATH].join(delimiter);

/** Opens a file in a server, says when that is up, and hangs. */
const host = (cwd: string, file: string) => `
  import { createSession } from "sotto";
  const session = createSession({
    cwd: ${JSON.stringify(cwd)},
    agent: { kind: "main" },
    config: { language_servers: true },
  });
  await session.record({ type: "file_read", path: ${JSON.stringify(file)} });
  for (;;) {
    const { trace } = await session.turn();
    const { reason } = trace.find(({ type }) => type === "lsp_diagnostics");
    if (!reason.includes("language server")) process.stdout.write("up\\n");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }`;

it.each(["a.ts", "a.py"])("%s", async (name) => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, name), "x = 1\n");
  const args = ["--conditions=sotto-source", "--input-type=module", "-e", host(cwd, name)];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, PATH, TMPDIR: temporaryDirectory() },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await until(() => groupsOf(child.pid as number).length > 0);
  await once(child.stdout, "data");
  const groups = groupsOf(child.pid as number);
  expect(groups).toHaveLength(1);
  child.kill("SIGKILL");
  await until(() => groups.every((group) => membersOf(group).length === 0));
});

interface Process {
  pid: number;
  ppid: number;
  group: number;
  state: string;
}

function processes(): Process[] {
  const list = execFileSync("ps", ["-eo", "pid=,ppid=,pgid=,stat="], { encoding: "utf8" });
  return list.split("\n").flatMap((line) => {
    const [pid, ppid, group, state = ""] = line.trim().split(/\s+/u);
    return pid ? [{ pid: Number(pid), ppid: Number(ppid), group: Number(group), state }] : [];
  });
}

/** Of what a process has started in groups of their own. */
function groupsOf(parent: number): number[] {
  return processes().flatMap(({ pid, ppid, group }) => (ppid === parent && pid === group ? [group] : []));
}

function membersOf(group: number): Process[] {
  return processes().filter((one) => one.group === group && !one.state.startsWith("Z"));
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 100));
}
