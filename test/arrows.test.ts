import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../", import.meta.url));

/** A copy of the sources to break, so that the check is seen to fail. */
let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "sotto-arrows-"));
  for (const name of [
    "packages/sotto",
    "packages/agent",
    "packages/gateway",
    "packages/cli",
    "tools",
    "tsconfig.json",
    ".dependency-cruiser.js",
    "package.json",
  ])
    await cp(join(root, name), join(copy, name), {
      recursive: true,
      filter: (path) => !path.includes("/dist"),
    });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
});
afterAll(() => rm(copy, { recursive: true }));

const check = (tool: string, cwd: string) =>
  run(process.execPath, [`tools/${tool}.ts`], { cwd }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `failed\n${stdout}${stderr}`,
  );

describe("dependency directions", () => {
  it("AC-32 AC-33 hold", async () => {
    expect(await check("arrows", root)).toMatch(/^arrows: \d+ modules, 0 violations/u);
    expect(await check("purity", root)).toMatch(/^purity: \d+ files, 0 violations/u);
    expect(await check("reads", root)).toMatch(/^reads: \d+ files, 0 violations/u);
  });

  it("AC-32 AC-33 are seen to be broken, the programs reaching past the public API among them", async () => {
    const write = (path: string, code: string) => writeFile(join(copy, "packages", path), code);
    await write(
      "sotto/src/engine/wrong-reach.ts",
      'import "node:fs";\nimport "../dialects/gemini.ts";\nexport const now = Date.now();\n',
    );
    await write(
      "sotto/src/attachments/usage/wrong-island.ts",
      'export { planMode } from "../modes/plan-mode.ts";\n',
    );
    await write(
      "sotto/src/dialects/wrong-store.ts",
      'export { createMemoryStore } from "../stores/memory.ts";\n',
    );
    await write("sotto/src/facts/wrong-room.ts", 'export type { Store } from "../log/entries.ts";\n');
    await write("sotto/src/render/wrong-package.ts", 'export { z } from "zod";\n');
    await write(
      "cli/src/wrong-door.ts",
      'export { skip } from "../../sotto/src/attachments/attachment.ts";\n',
    );
    await write("cli/src/wrong-agent-door.ts", 'export { LEAD } from "../../agent/src/team/team.ts";\n');
    await write("cli/src/wrong-gateway-door.ts", 'export { guard } from "../../gateway/src/guard.ts";\n');
    await write("gateway/src/wrong-way.ts", 'export { version } from "../../cli/src/version.ts";\n');
    await write("agent/src/wrong-way.ts", 'export { version } from "../../cli/src/version.ts";\n');
    const report = await check("arrows", copy);
    for (const rule of [
      "room-facts",
      "room-dialects",
      "contracts",
      "pure",
      "packages",
      "islands",
      "doors",
      "agent-doors",
      "agent-below-cli",
      "gateway-door",
      "gateway-below-cli",
    ])
      expect(report).toContain(`${rule}: `);
    expect(report).toContain("failed");
    expect(await check("purity", copy)).toContain("engine/wrong-reach.ts:3: export const now = Date.now();");
  });

  it("reading files past the safe readers is seen, however it is written; what opens nothing is free", async () => {
    const write = (path: string, ...lines: string[]) =>
      writeFile(join(copy, "packages", path), `${lines.join("\n")}\n`);
    const wrong = [
      'import { readFile } from "node:fs/promises";',
      'import { readFileSync as take } from "node:fs";',
      'import { createReadStream } from "fs";',
      'import { mkdir, open } from "node:fs/promises";',
      'import { open as look } from "node:fs";',
      'import {\n  closeSync,\n  openSync,\n} from "node:fs";',
      'import * as files from "node:fs/promises";',
      'import files from "node:fs";',
      'const { readFile } = await import("node:fs/promises");',
      'const files = await import("node:fs");',
      'const { open } = process.getBuiltinModule("node:fs/promises");',
      'const files = process.getBuiltinModule("fs");',
    ];
    for (const [index, line] of wrong.entries()) await write(`cli/src/wrong-read-${index}.ts`, line);
    await write(
      "sotto/src/sources/right-read.ts",
      'import { readdir, stat } from "node:fs/promises";',
      'import type { FileHandle, open } from "node:fs/promises";',
      'const { realpath } = await import("node:fs/promises");',
      "// readFile is what is not used here",
    );
    await write("sotto/src/platform/process-group.ts", "export const nothing = 0;");
    const report = await check("reads", copy);
    expect(report).toContain("failed");
    for (const index of wrong.keys()) expect(report).toContain(`wrong-read-${index}.ts:`);
    expect(report).not.toContain("right-read");
    expect(report).toContain("process-group.ts opens nothing any more");
  });

  it("AC-33 are not called fine when nothing was looked at", async () => {
    for (const name of ["sotto", "agent", "gateway", "cli"]) {
      await rm(join(copy, "packages", name, "src"), { recursive: true });
      await mkdir(join(copy, "packages", name, "src"));
      await writeFile(join(copy, "packages", name, "src", "index.ts"), "export const only = 1;\n");
    }
    expect(await check("arrows", copy)).toContain("the check itself is broken");
    expect(await check("reads", copy)).toContain("the check itself is broken");
  });
});
