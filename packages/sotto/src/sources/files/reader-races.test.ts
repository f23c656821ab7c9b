// Whoever swaps files between the check and the reading, and whatever denied or secret files are called: no byte gets out.

import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { times } from "../../../../../test/support/runs.ts";
import { type Random, seeded } from "../../../../../test/support/seeded.ts";
import { createPermissions } from "./permissions.ts";
import { createReader } from "./reader.ts";
import type { FileSystem } from "./safe-open.ts";

const CANARY = "canary-not-a-secret";

let directory: string;
beforeEach(() => {
  directory = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sotto-races-")));
  for (const name of ["project", "project/docs", "project/private", "outside"]) fs.mkdirSync(at(name));
  for (const name of ["project/docs/notes.md", "project/notes.md"]) fs.writeFileSync(at(name), "harmless");
  for (const name of ["project/.env", "project/private/notes.md", "outside/notes.md"])
    fs.writeFileSync(at(name), `TOKEN=${CANARY}`);
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

const at = (name: string) => join(directory, name);
const permissions = () =>
  createPermissions({ cwd: at("project"), home: "/home/someone", denyRead: ["private/**"] });

const isLink = (name: string) => fs.lstatSync(at(name)).isSymbolicLink();

/** Turns a regular file into a link to something forbidden, or back; or the directory above another one. */
function createSwapper(random: Random, names: string[]) {
  const targets: Record<string, string[]> = {
    "project/notes.md": [at("outside/notes.md"), at("project/.env"), at("project/private/notes.md")],
    "project/docs": [at("outside"), at("project/private")],
  };
  return () => {
    const name = random.pick(names);
    if (isLink(name)) {
      fs.unlinkSync(at(name));
      fs.renameSync(at(`${name}-aside`), at(name));
    } else {
      fs.renameSync(at(name), at(`${name}-aside`));
      fs.symlinkSync(random.pick(targets[name] ?? []), at(name));
    }
  };
}

/** The real file system; something may happen before any of its calls. */
function disturbed(disturb: () => void): FileSystem {
  const before =
    <Parameters extends unknown[], Answer>(call: (...parameters: Parameters) => Promise<Answer>) =>
    async (...parameters: Parameters) => {
      disturb();
      return call(...parameters);
    };
  const { stat, lstat, statfs, readlink, realpath, opendir } = fs.promises;
  return {
    stat: before(stat) as typeof stat,
    lstat: before(lstat) as typeof lstat,
    statfs: before(statfs) as typeof statfs,
    readlink: before(readlink) as typeof readlink,
    realpath: before(realpath) as typeof realpath,
    opendir: before(opendir) as typeof opendir,
    open: before(async (...parameters: Parameters<typeof fs.promises.open>) => {
      const handle = await fs.promises.open(...parameters);
      handle.stat = before(handle.stat.bind(handle) as () => never) as typeof handle.stat;
      handle.read = before(handle.read.bind(handle) as () => never) as typeof handle.read;
      return handle;
    }),
  };
}

interface Race {
  races: number;
  /** How often something happens before a call. */
  chance: number;
  /** What is swapped. */
  names: string[];
  descriptors?: false;
}

async function race({ races, chance, names, ...options }: Race) {
  const random = seeded(45);
  const swap = createSwapper(random, names);
  const fileSystem = disturbed(() => random.chance(chance) && swap());
  const reader = createReader({ permissions: permissions(), fileSystem, ...options });
  const kinds: Record<string, number> = {};
  let leaks = 0;
  for (let round = 0; round < races; round++) {
    const path = random.pick(["notes.md", "docs/notes.md"]);
    const outcome = await reader.read(path, { within: at("project") });
    kinds[outcome.kind] = (kinds[outcome.kind] ?? 0) + 1;
    if (JSON.stringify(outcome).includes(CANARY)) leaks++;
  }
  return { kinds, leaks };
}

describe("M05 AC-45 swapping after the check", () => {
  it.runIf(process.platform === "linux")("no race leaks, with swaps in every gap", async () => {
    const { kinds, leaks } = await race({
      races: times(10_000),
      chance: 0.3,
      names: ["project/notes.md", "project/docs"],
    });
    expect(leaks).toBe(0);
    for (const kind of ["text", "denied", "secret"]) expect(kinds[kind]).toBeGreaterThan(times(300));
  });

  it("files swapped where the kernel does not name descriptors: no race leaks", async () => {
    const names = ["project/notes.md"];
    const { kinds, leaks } = await race({ races: times(2000), chance: 0.1, names, descriptors: false });
    expect(leaks).toBe(0);
    expect(kinds.text).toBeGreaterThan(times(100));
  });

  it("0 leaks beside a thread that swaps as fast as it can", async () => {
    const worker = new Worker(
      `const { workerData } = require("node:worker_threads");
       const fs = require("node:fs");
       for (;;) {
         fs.symlinkSync(workerData.target, workerData.swap);
         fs.renameSync(workerData.swap, workerData.path);
         fs.writeFileSync(workerData.swap, "harmless");
         fs.renameSync(workerData.swap, workerData.path);
       }`,
      {
        eval: true,
        workerData: { target: at("outside/notes.md"), swap: at("swap"), path: at("project/notes.md") },
      },
    );
    const reader = createReader({ permissions: permissions() });
    const kinds: Record<string, number> = {};
    for (let round = 0; round < 3000; round++) {
      const outcome = await reader.read("notes.md", { within: at("project") });
      kinds[outcome.kind] = (kinds[outcome.kind] ?? 0) + 1;
      expect(JSON.stringify(outcome)).not.toContain(CANARY);
    }
    await worker.terminate();
    expect(kinds.text).toBeGreaterThan(10);
    expect(kinds.denied).toBeGreaterThan(10);
  });
});

describe("AC-48 canaries", () => {
  it("denied and secret files give no content, whatever they are called by", async () => {
    fs.writeFileSync(at("project/id_rsa"), CANARY);
    fs.writeFileSync(at("project/private/picture"), `\x89PNG\r\n\x1a\n${CANARY}`, "latin1");
    fs.writeFileSync(at("project/private/a\nb"), CANARY);
    fs.symlinkSync(".env", at("project/plain.txt"));
    fs.symlinkSync("private", at("project/public"));
    const reader = createReader({ permissions: permissions() });
    const paths = [".env", "./x/../.env", "plain.txt", "id_rsa", "private/notes.md", "public/notes.md"];
    const more = [
      "private/picture",
      "PRIVATE/notes.md",
      "private/a\nb",
      "public",
      "private",
      at("project/.env"),
    ];
    const outcomes = [];
    for (const path of [...paths, ...more]) {
      outcomes.push(await reader.read(path, { raw: true }), await reader.list(path));
      outcomes.push(await reader.stat(path), await reader.realPath(path));
    }
    const all = JSON.stringify(outcomes);
    expect(all).not.toContain(CANARY);
    expect(all).not.toContain(Buffer.from(CANARY).toString("base64").slice(0, 12));
    expect(await reader.read("plain.txt")).toMatchObject({ kind: "secret", realPath: at("project/.env") });
    expect(await reader.read("public/notes.md")).toEqual({ kind: "denied", rule: "private/**" });
    expect(await reader.list("private")).toMatchObject({ entries: [] });
  });

  it("a change of a secret is noticed; its hash is not that of its content", async () => {
    const reader = createReader({ permissions: permissions() });
    const hash = async (path: string) => ((await reader.read(path)) as { hash: string }).hash;
    const first = await hash(".env");
    expect(await hash(".env")).toBe(first);
    fs.writeFileSync(at("project/copy.txt"), `TOKEN=${CANARY}`);
    expect(await hash("copy.txt")).not.toBe(first);
    fs.appendFileSync(at("project/.env"), "\n");
    expect(await hash(".env")).not.toBe(first);
  });

  it("a secret that is allowed is read", async () => {
    const allowing = createPermissions({ cwd: at("project"), home: "/", allowSecrets: [".env"] });
    expect(await createReader({ permissions: allowing }).read(".env")).toMatchObject({ kind: "text" });
  });
});
