import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { toFailure } from "./failure.ts";

/** What the system says in each case, as it says it. */
function realErrors(): Record<string, unknown> {
  const root = mkdtempSync(join(tmpdir(), "sotto-file-problem-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const at = (name: string) => join(root, name);
  writeFileSync(at("file"), "");
  symlinkSync(at("loop"), at("loop"));
  const thrown = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      return error;
    }
    throw new Error("nothing was thrown");
  };
  return {
    [`${at("none")} does not exist`]: thrown(() => readFileSync(at("none"))),
    [`${at("none/x")} cannot be reached: there is no directory ${at("none")}`]: thrown(() =>
      writeFileSync(at("none/x"), ""),
    ),
    [`${at("file/x")} cannot be reached: a part of its path is a file`]: thrown(() =>
      mkdirSync(at("file/x")),
    ),
    [`${at("loop")} cannot be reached: its links lead in a circle`]: thrown(() => readFileSync(at("loop"))),
    [`${at("x".repeat(300))} has a name that is too long`]: thrown(() => readFileSync(at("x".repeat(300)))),
    [`${root} is a directory`]: thrown(() => writeFileSync(root, "")),
  };
}

it("an error of the file system is a sentence with the file, the problem and the fix", () => {
  for (const [words, error] of Object.entries(realErrors())) {
    const { message } = toFailure(error);
    expect(message.startsWith(words), `${message} for ${words}`).toBe(true);
    expect(message).toMatch(/; \w/u);
  }
});

const codes =
  "EACCES EPERM EROFS ENOSPC EDQUOT EFBIG EIO ENOTDIR ENAMETOOLONG ELOOP EISDIR EEXIST ENOTEMPTY EBUSY ETXTBSY EXDEV EMFILE ENFILE ENOENT";

it.each(codes.split(" "))("whatever the call was: %s", (code) => {
  for (const syscall of [
    "open",
    "stat",
    "mkdir",
    "mkdtemp",
    "unlink",
    "scandir",
    "copyfile",
    "rename",
    "chmod",
  ]) {
    const error = Object.assign(new Error(`${code}: words, ${syscall} '/a/b'`), {
      code,
      syscall,
      path: "/a/b",
    });
    expect(toFailure(error).message).toMatch(/^\/a\/b [^;]+; \w[^;]*$/u);
    expect(toFailure(error).message).not.toContain(code);
    const moved = Object.assign(error, { dest: "/c/d" });
    expect(toFailure(moved).message).toMatch(/^\/c\/d /u);
  }
});

it("a write does not know its file; programs, sockets and strangers keep their words", () => {
  const error = (message: string, fields: object) => Object.assign(new Error(message), fields);
  const full = error("ENOSPC: no space left on device, write", { code: "ENOSPC", syscall: "write" });
  expect(toFailure(full).message).toBe("a file cannot be written: the disk is full; free some space");
  const others = [
    error("spawn /x EACCES", { code: "EACCES", syscall: "spawn /x", path: "/x" }),
    error("listen EACCES: permission denied 0.0.0.0:80", { code: "EACCES", syscall: "listen" }),
    error("connect ENOENT /x.sock", { code: "ENOENT", syscall: "connect", path: "/x.sock" }),
    error("EWEIRD: odd", { code: "EWEIRD", syscall: "open", path: "/x" }),
  ];
  for (const one of others) expect(toFailure(one).message).toBe(one.message);
});
