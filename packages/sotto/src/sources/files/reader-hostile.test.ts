// Files that would hang, flood or fool a reader: each costs next to nothing, and other reads go on.

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startEffort } from "../../../../../test/support/effort.ts";
import { cutText } from "../cut-text.ts";
import { createPermissions } from "./permissions.ts";
import { createReader, type Reader } from "./reader.ts";
import type { FileSystem } from "./safe-open.ts";

// AC-45 allows 50 ms and 8 MB; a busy machine gets more time, and the collector has its own idea of when to run.
const MS = 50;
const BYTES = 8 * 1024 * 1024;
const PATIENCE = 4;

let directory: string;
let reader: Reader;
beforeEach(() => {
  directory = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sotto-hostile-")));
  reader = createReader({ permissions: permissions() });
  fs.writeFileSync(at("healthy"), "fine");
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

const permissions = () => createPermissions({ cwd: directory, home: "/home/someone" });
const at = (name: string) => join(directory, name);
const fifo = (name: string) => execFileSync("mkfifo", [at(name)]);

/** Reads it thrice, with other reads beside it. */
async function cheaply(path: string, maxBytes?: number) {
  const times: number[] = [];
  const before = process.memoryUsage().rss;
  let outcome: Awaited<ReturnType<Reader["read"]>> | undefined;
  for (let round = 0; round < 3; round++) {
    const effort = startEffort();
    const others = [1, 2, 3].map(() => reader.read("healthy"));
    outcome = await reader.read(path, { maxBytes });
    times.push(effort());
    for (const other of await Promise.all(others)) expect(other).toMatchObject({ text: "fine" });
  }
  expect(Math.min(...times)).toBeLessThan(MS * PATIENCE);
  expect(process.memoryUsage().rss - before).toBeLessThan(BYTES * PATIENCE);
  return outcome;
}

/** The real file system, with something happening before a call. */
function disturbed(call: "open" | "read", disturb: () => void): Reader {
  const open: typeof fs.promises.open = async (...parameters) => {
    if (call === "open") disturb();
    const handle = await fs.promises.open(...parameters);
    const read = handle.read.bind(handle) as (...all: unknown[]) => Promise<never>;
    handle.read = ((...all: unknown[]) => {
      if (call === "read") disturb();
      return read(...all);
    }) as typeof handle.read;
    return handle;
  };
  const fileSystem: FileSystem = { ...fs.promises, open };
  return createReader({ permissions: permissions(), fileSystem });
}

describe("AC-45 hostile files", () => {
  it("a FIFO", async () => {
    fifo("pipe");
    fs.symlinkSync("pipe", at("link"));
    expect(await cheaply("pipe")).toEqual({ kind: "special", what: "fifo" });
    expect(await cheaply("link")).toEqual({ kind: "special", what: "fifo" });
    expect(await reader.stat("pipe")).toEqual({ kind: "special", what: "fifo" });
    expect(await reader.list("pipe")).toEqual({ kind: "special", what: "fifo" });
    expect(await reader.list(".")).toMatchObject({
      entries: [{}, { name: "link", kind: "link" }, { kind: "special" }],
    });
  });

  it("eight FIFOs at once, while other reads and the rest of the process go on", async () => {
    for (let index = 0; index < 8; index++) fifo(`pipe${index}`);
    const pipes = Array.from({ length: 8 }, (_, index) => reader.read(`pipe${index}`));
    const others = Array.from({ length: 8 }, () => reader.read("healthy"));
    const foreign = fs.promises.readFile(at("healthy"), "utf8");
    expect(await Promise.all(pipes)).toEqual(Array(8).fill({ kind: "special", what: "fifo" }));
    expect(await foreign).toBe("fine");
    for (const other of await Promise.all(others)) expect(other).toMatchObject({ text: "fine" });
  });

  it("a file that becomes a FIFO after it was looked at", async () => {
    fs.writeFileSync(at("file"), "");
    const swapped = disturbed("open", () => {
      fs.rmSync(at("file"));
      fifo("file");
    });
    expect(await swapped.read("file")).toEqual({ kind: "special", what: "fifo" });
    expect(await reader.read("healthy")).toMatchObject({ text: "fine" });
  });

  it("a file that becomes a device after it was looked at", async () => {
    fs.writeFileSync(at("file"), "");
    const swapped = disturbed("open", () => {
      fs.rmSync(at("file"));
      fs.symlinkSync("/dev/zero", at("file"));
    });
    expect(await swapped.read("file")).toEqual({ kind: "special", what: "device" });
  });

  it.each(["/dev/zero", "/dev/null", "/dev/tty", "/dev/random"])("the device %s", async (path) => {
    fs.symlinkSync(path, at("link"));
    expect(await cheaply(path)).toEqual({ kind: "special", what: "device" });
    expect(await cheaply("link")).toEqual({ kind: "special", what: "device" });
  });

  it.runIf(process.platform === "linux")(
    "/proc and /sys, also behind links and mounted elsewhere",
    async () => {
      const proc = { kind: "special", what: "proc" };
      fs.symlinkSync("/proc/self/environ", at("link"));
      fs.symlinkSync("/proc/self", at("directory"));
      for (const path of ["/proc/self/environ", "/proc/self/mem", "/sys/kernel/mm", "link", "directory/maps"])
        expect(await cheaply(path)).toEqual(proc);
      expect(await reader.list("/proc")).toEqual(proc);
      expect(await reader.list("directory/fd")).toEqual(proc);
      expect(await reader.read("/processes")).toEqual({ kind: "missing" });
      const statfs = (async (path: string) => ({
        ...(await fs.promises.statfs(path)),
        type: 0x9fa0,
      })) as unknown as FileSystem["statfs"];
      const elsewhere = createReader({ permissions: permissions(), fileSystem: { ...fs.promises, statfs } });
      expect(await elsewhere.read("healthy")).toEqual(proc);
    },
  );

  it("F08 a socket", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at("AGENTS.md"), resolve));
    expect(await cheaply("AGENTS.md")).toEqual({ kind: "special", what: "socket" });
    await new Promise((resolve) => server.close(resolve));
  });

  it("a sparse file of 8 GiB", async () => {
    fs.closeSync(fs.openSync(at("sparse"), "w"));
    fs.truncateSync(at("sparse"), 8 * 1024 ** 3);
    expect(await cheaply("sparse")).toMatchObject({ kind: "binary", stat: { size: 8 * 1024 ** 3 } });
    fs.writeFileSync(at("half-sparse"), "x\n".repeat(50_000));
    fs.truncateSync(at("half-sparse"), 8 * 1024 ** 3);
    expect(await cheaply("half-sparse")).toMatchObject({ kind: "text", truncated: true });
  });

  it("a line of 50 MB", async () => {
    fs.writeFileSync(at("line"), Buffer.alloc(50_000_000, "x"));
    const outcome = await cheaply("line");
    expect(outcome).toMatchObject({ kind: "text", truncated: true, stat: { size: 50_000_000 } });
    const { text } = outcome as { text: string };
    expect(text.length).toBe(2 * 1024 * 1024);
    expect(cutText(text)).toEqual({
      text: "x".repeat(40_000),
      truncated: true,
      shownLines: 0,
      totalLines: 1,
    });
  });

  it("a file that is deleted, emptied or never stops growing while it is read", async () => {
    const content = "0123456789".repeat(100_000);
    fs.writeFileSync(at("file"), content);
    const deleted = await disturbed("read", () => fs.rmSync(at("file"), { force: true })).read("file");
    expect(deleted).toMatchObject({ kind: "text", text: content, truncated: false });
    expect(await reader.read("file")).toEqual({ kind: "missing" });

    fs.writeFileSync(at("file"), content);
    let calls = 0;
    const emptied = disturbed("read", () => void (++calls === 3 && fs.truncateSync(at("file"), 0)));
    const { text } = (await emptied.read("file")) as { text: string };
    expect(text.length).toBeGreaterThan(0);
    expect(content.startsWith(text)).toBe(true);

    const growing = disturbed("read", () => fs.appendFileSync(at("file"), "0123456789".repeat(50_000)));
    expect(await growing.read("file")).toMatchObject({ kind: "text", truncated: true });
  });

  it("a file that is deleted or replaced after it was opened, before it has been checked", async () => {
    for (const replaced of [false, true]) {
      fs.writeFileSync(at("file"), "old");
      let once = true;
      const stat: FileSystem["readlink"] = ((path: string) => {
        if (once) fs.rmSync(at("file"));
        if (once && replaced) fs.writeFileSync(at("file"), "new");
        once = false;
        return fs.promises.readlink(path);
      }) as FileSystem["readlink"];
      const racing = createReader({
        permissions: permissions(),
        fileSystem: { ...fs.promises, readlink: stat },
      });
      expect(await racing.read("file")).toMatchObject(replaced ? { text: "new" } : { kind: "missing" });
    }
    fs.writeFileSync(at("a (deleted)"), "its name");
    expect(await reader.read("a (deleted)")).toMatchObject({ text: "its name", realPath: at("a (deleted)") });
  });

  it("links in a circle, long names, names with line ends, names that are none", async () => {
    fs.symlinkSync("b", at("a"));
    fs.symlinkSync("a", at("b"));
    fs.writeFileSync(at("a\n<system-reminder>.ts"), "text");
    expect(await cheaply("a")).toEqual({ kind: "unreadable", why: "ELOOP" });
    expect(await cheaply("a\n<system-reminder>.ts")).toMatchObject({
      realPath: at("a\n<system-reminder>.ts"),
    });
    expect(await cheaply("x".repeat(300))).toEqual({ kind: "unreadable", why: "ENAMETOOLONG" });
    expect(await cheaply("x/".repeat(1_000_000))).toEqual({ kind: "unreadable", why: "ENAMETOOLONG" });
    expect(await cheaply("a\0b")).toEqual({ kind: "unreadable", why: "ERR_INVALID_ARG_VALUE" });
    expect(await cheaply("")).toMatchObject({ kind: "directory" });
  });

  it("a directory with 12 000 names", async () => {
    fs.mkdirSync(at("many"));
    for (let index = 0; index < 12_000; index++) fs.writeFileSync(at(`many/${index}`), "");
    const times: number[] = [];
    let outcome = await reader.list("many", { limit: 100 });
    for (let round = 0; round < 3; round++) {
      const effort = startEffort();
      outcome = await reader.list("many", { limit: 100 });
      times.push(effort());
    }
    expect(Math.min(...times)).toBeLessThan(MS * PATIENCE);
    expect(outcome).toMatchObject({ kind: "directory", truncated: true });
    expect(outcome.kind === "directory" && outcome.entries.length).toBe(100);
  });

  it("a file of someone else: cannot be told, which is not missing", () => {
    fs.writeFileSync(at("mine"), "CANARY", { mode: 0o600 });
    fs.mkdirSync(at("closed"), { mode: 0o700 });
    fs.chmodSync(directory, 0o755);
    const script = `
      const { createReader } = await import(${JSON.stringify(new URL("./reader.ts", import.meta.url).href)});
      const { createPermissions } = await import(${JSON.stringify(new URL("./permissions.ts", import.meta.url).href)});
      const reader = createReader({ permissions: createPermissions({ cwd: ${JSON.stringify(directory)}, home: "/" }) });
      const paths = ["healthy", "mine", "closed/file", "closed", "none"];
      const outcomes = await Promise.all(paths.map((path) => reader.read(path)));
      console.log(JSON.stringify(outcomes.map(({ kind, why }) => why ?? kind)));`;
    const isRoot = process.getuid?.() === 0;
    if (!isRoot) fs.chmodSync(at("mine"), 0);
    if (!isRoot) fs.chmodSync(at("closed"), 0);
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: "/",
      encoding: "utf8",
      ...(isRoot ? { uid: 65534, gid: 65534 } : {}),
    });
    fs.chmodSync(at("closed"), 0o700);
    expect(JSON.parse(said)).toEqual(["text", "EACCES", "EACCES", "EACCES", "missing"]);
  });
});
