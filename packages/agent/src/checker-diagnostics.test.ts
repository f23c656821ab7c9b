import { expect, it } from "vitest";
import { parseDiagnostics } from "./checker.ts";

const files = new Set(["src/a.ts", "src/b.py", "C:\\x.cs", "main.c"]);
const read = (text: string) => parseDiagnostics(text, (path) => files.has(path));

it.each([
  [
    "src/a.ts(3,7): error TS2322: Type 'string' is not assignable.",
    ["src/a.ts", 3, "Error", "Type 'string' is not assignable.", "TS2322"],
  ],
  ["src/a.ts:3:7: warning: unused variable", ["src/a.ts", 3, "Warning", "unused variable", undefined]],
  ["src/b.py:12: error: Incompatible types", ["src/b.py", 12, "Error", "Incompatible types", undefined]],
  [
    "src/b.py:1:1: F401 `os` imported but unused",
    ["src/b.py", 1, "Error", "F401 `os` imported but unused", undefined],
  ],
  ["main.c:9:2: fatal error: no.h: No such file", ["main.c", 9, "Error", "no.h: No such file", undefined]],
  ["\u001b[31mmain.c:9:2: note: here\u001b[0m", ["main.c", 9, "Info", "here", undefined]],
])("%s", (line, expected) => {
  expect(
    read(line).map(({ path, line: at, severity, message, code }) => [path, at, severity, message, code]),
  ).toEqual([expected]);
});

it.each([
  "Found 3 errors.",
  "10:12:13 done",
  "http://localhost:80: up",
  "src/none.ts:3:1: error: x",
  "src/a.ts:0: error: x",
  "",
])("talk is left out: %s", (line) => {
  expect(read(line)).toEqual([]);
});

it("is bounded and quick, whatever is written", () => {
  const storm = "src/a.ts:1:1: error: x\n".repeat(10_000);
  expect(read(storm)).toHaveLength(2000);
  expect(read(`${"a".repeat(1_000_000)}:1: error: x`)).toEqual([]);
  expect(read(`src/a.ts${":".repeat(3000)}`)).toEqual([]);
});
