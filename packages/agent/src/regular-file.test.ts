import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openRegular, readBeginning, readEndSync, readRegular, readRegularSync } from "./regular-file.ts";

const place = () => {
  const directory = mkdtempSync(join(tmpdir(), "sotto-regular-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return (name: string) => join(directory, name);
};

const readers = {
  readRegular: (path: string) => readRegular(path, 100),
  readBeginning: (path: string) => readBeginning(path, 100),
  readRegularSync: async (path: string) => readRegularSync(path, 100).toString("utf8"),
  readEndSync: async (path: string) => readEndSync(path, 100).toString("utf8"),
  openRegular: async (path: string) => void (await openRegular(path)).handle.close(),
};

test.each(Object.entries(readers))("%s takes regular files, and waits for nothing", async (name, read) => {
  const at = place();
  writeFileSync(at("text"), "some text");
  symlinkSync(at("text"), at("link"));
  mkdirSync(at("directory"));
  execFileSync("mkfifo", [at("pipe")]);
  symlinkSync(at("pipe"), at("link-to-pipe"));
  symlinkSync("/dev/zero", at("link-to-device"));
  const socket = createServer().listen(at("socket"));
  onTestFinished(() => void socket.close());
  if (name !== "openRegular")
    for (const one of ["text", "link"]) expect(await read(at(one))).toBe("some text");
  await expect(read(at("directory"))).rejects.toThrow("is a directory");
  for (const one of ["pipe", "link-to-pipe", "link-to-device", "socket"])
    await expect(read(at(one))).rejects.toThrow(`${at(one)} is not a regular file`);
  await expect(read(at("missing"))).rejects.toThrow("ENOENT");
});

test("what is larger than asked for is refused, or only its beginning or end is read", async () => {
  const at = place();
  writeFileSync(at("long"), `${"a".repeat(100)}z`);
  await expect(readRegular(at("long"), 100)).rejects.toThrow("is too large: 101 bytes; the limit is 100");
  expect(() => readRegularSync(at("long"), 100)).toThrow("is too large");
  expect(await readBeginning(at("long"), 2)).toBe("aa");
  expect(readEndSync(at("long"), 2).toString()).toBe("az");
});

test("a link is not followed where that is asked for", async () => {
  const at = place();
  writeFileSync(at("text"), "some text");
  symlinkSync(at("text"), at("link"));
  await expect(openRegular(at("link"), { noFollow: true })).rejects.toThrow("ELOOP");
});
