import { constants, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import * as node from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as direct from "./direct-files.ts";
import { processMounts } from "./network-mounts.ts";

let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "sotto-direct-")));
  writeFileSync(join(directory, "a.txt"), "Hello.\n");
  mkdirSync(join(directory, "below"));
  symlinkSync("a.txt", join(directory, "link"));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** What a call answers or throws. */
async function outcome(call: () => Promise<unknown>): Promise<unknown> {
  try {
    const value = await call();
    return value instanceof Object && "atimeMs" in value ? { ...value, atimeMs: 0, atime: 0 } : value;
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    return { code, message, syscall };
  }
}

test("each call answers and fails as Node's own", async () => {
  for (const name of ["a.txt", "below", "link", "missing", "a.txt/x"]) {
    const path = join(directory, name);
    const pairs: [() => Promise<unknown>, () => Promise<unknown>][] = [
      [() => direct.stat(path), () => node.stat(path)],
      [() => direct.lstat(path), () => node.lstat(path)],
      [() => direct.realpath(path), () => node.realpath(path)],
      [() => direct.readlink(path), () => node.readlink(path)],
      [() => direct.readdir(path), () => node.readdir(path)],
      [() => direct.access(path), () => node.access(path)],
    ];
    for (const [ours, theirs] of pairs) expect(await outcome(ours), name).toEqual(await outcome(theirs));
  }
  expect(await direct.statfs(directory)).toMatchObject({ type: (await node.statfs(directory)).type });
  const kinds = { withFileTypes: true } as const;
  expect(await direct.readdir(directory, kinds)).toEqual(await node.readdir(directory, kinds));
});

test("a file is read, and a directory listed, through a handle", async () => {
  const handle = await direct.open(join(directory, "link"), constants.O_RDONLY);
  const buffer = Buffer.alloc(10);
  expect((await handle.stat()).size).toBe(7);
  expect((await handle.read(buffer, 1, 9, 2)).bytesRead).toBe(5);
  expect(buffer.toString("utf8", 1, 6)).toBe("llo.\n");
  expect((await handle.readFile()).toString()).toBe("Hello.\n");
  await handle.close();
  await expect(handle.stat()).rejects.toMatchObject({ code: "EBADF" });
  const opened = await direct.open(directory, "r");
  await opened.sync();
  await opened.close();
  const names = async (list: AsyncIterable<{ name: string }>) => {
    const found: string[] = [];
    for await (const { name } of list) found.push(name);
    return found.sort();
  };
  expect(await names(await direct.opendir(directory))).toEqual(["a.txt", "below", "link"]);
  const list = await direct.opendir(join(directory, "below"));
  expect(await list.read()).toBe(null);
  await list.close();
});

test("where a call could block it is left to Node's threads, also by the link of an open file", async () => {
  const seen: string[] = [];
  const mayBlock = vi.spyOn(processMounts, "mayBlock").mockImplementation((...paths: readonly string[]) => {
    seen.push(...paths);
    return paths.some((path) => path.startsWith(directory));
  });
  try {
    const handle = await direct.open(join(directory, "a.txt"), constants.O_RDONLY);
    // Node's own has more than readers use.
    expect(handle).toHaveProperty("readLines");
    const link = `/proc/self/fd/${handle.fd}`;
    if (process.platform === "linux") expect(await direct.readlink(link)).toBe(join(directory, "a.txt"));
    await handle.close();
    expect(seen).toEqual([join(directory, "a.txt")]);
  } finally {
    mayBlock.mockRestore();
  }
});

test("where there are network mounts, what is behind a link is left to Node's threads", async () => {
  const areThere = vi.spyOn(processMounts, "areThere").mockReturnValue(true);
  symlinkSync("below", join(directory, "elsewhere"));
  writeFileSync(join(directory, "below/b.txt"), "");
  try {
    for (const [name, isNodes] of [
      ["a.txt", false],
      ["link", true],
      ["below/b.txt", false],
      ["elsewhere/b.txt", true],
    ] as const) {
      const handle = await direct.open(join(directory, name), constants.O_RDONLY);
      expect("readLines" in handle, name).toBe(isNodes);
      await handle.close();
    }
    expect(await outcome(() => direct.stat(join(directory, "missing/x")))).toMatchObject({ code: "ENOENT" });
  } finally {
    areThere.mockRestore();
    rmSync(join(directory, "elsewhere"));
    rmSync(join(directory, "below/b.txt"));
  }
});

test("writing is left to Node", async () => {
  const path = join(directory, "new.txt");
  await direct.writeFile(path, "1");
  await direct.chmod(path, 0o600);
  await direct.rename(path, `${path}.2`);
  const handle = await direct.open(`${path}.2`, "a");
  await handle.writeFile("2");
  await handle.close();
  expect(await node.readFile(`${path}.2`, "utf8")).toBe("12");
  await direct.unlink(`${path}.2`);
  await direct.mkdir(path);
  await direct.rmdir(path);
  await direct.rm(path, { force: true });
  expect(await outcome(() => direct.stat(path))).toMatchObject({ code: "ENOENT" });
});
