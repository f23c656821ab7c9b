// The build makes constants of the bundle when they are first used: nothing else about it may change.

import { runInNewContext } from "node:vm";
import { parseAst } from "rolldown/parseAst";
import { expect, it } from "vitest";
import { lazyConstants } from "../../lazy-constants.ts";

const run = (code: string) => runInNewContext(`const log = [];${code}\n;JSON.stringify([log, result()])`);
const lazily = (code: string) => lazyConstants(code, parseAst as Parameters<typeof lazyConstants>[1]);

const MADE = "const made = (name, value) => (log.push(name), value);";

it.each([
  ["a name in a function", "const a = [1]; function result() { return a; }"],
  ["a short property", "const a = [1]; function result() { return { a, b: a }; }"],
  ["a property of the same name", "const a = [1]; function result() { return { a: 2 }.a; }"],
  [
    "a method of the same name",
    "const a = [1]; class B { a() { return a; } } const result = () => new B().a();",
  ],
  ["a parameter of the same name", "const a = [1]; function result() { return ((a) => a)(2); }"],
  [
    "a default that is the constant",
    "const a = [1]; function result() { return ((b = a, { c = a } = {}) => [b, c])(); }",
  ],
  ["a block's own name", "const a = [1]; function result() { { const a = 2; if (a) return a; } }"],
  [
    "a var further down",
    "const a = [1]; function result() { const f = () => { const before = a; if (1) { var a = 2; } return [before ?? 0, a]; }; return f(); }",
  ],
  ["a name that is caught", "const a = [1]; function result() { try { throw 2; } catch (a) { return a; } }"],
  [
    "a name in a loop",
    "const a = [1]; function result() { const r = []; for (const a of [2]) r.push(a); for (let a = 3; a < 4; a++) r.push(a); for (const b of a) r.push(b); return r; }",
  ],
  [
    "a name in a switch",
    "const a = [1]; function result() { switch (1) { case 1: { const a = 2; return a; } } }",
  ],
  ["a label", "const a = [1]; function result() { a: for (;;) { break a; } return a; }"],
  [
    "a function's own name",
    "const a = [1]; function result() { return typeof (function a() { return a; })(); }",
  ],
  [
    "what is taken apart",
    "const a = { b: [1] }; function result() { const { b: c, ...d } = a; const [e] = c; return [c, d, e]; }",
  ],
  ["an assigned variable", "let a = [1]; function result() { a = [2]; return a; }"],
  ["one assigned by taking apart", "let a = [1]; function result() { [a] = [2]; return a; }"],
  ["one that is counted", "let a = [1].length; function result() { a++; return a; }"],
  [
    "a chain of constants",
    "const a = [1]; const b = [...a, 2]; const c = () => b; function result() { return c(); }",
  ],
  [
    "a cycle that is only used later",
    "const a = { get: () => b }; const b = [1]; function result() { return a.get(); }",
  ],
  [
    "classes",
    "class A { static made = [1]; } class B extends A { own = A.made; } function result() { return [new B().own, new B() instanceof A]; }",
  ],
  [
    "one object, however often it is used",
    "const a = new Map(); function result() { a.set(1, 2); return [a === a, [...a]]; }",
  ],
  [
    "false, zero and nothing",
    "const a = !1; const b = [].length; const c = [][0]; function result() { return [a, b, c ?? null]; }",
  ],
  ["a text with places", `const a = [1]; function result() { return \`\${a}-\${{ a }.a}\`; }`],
])("%s", (_name, code) => {
  expect(run(lazily(code))).toBe(run(code));
});

it("makes each when it is first used, once", () => {
  const code = `${MADE} const a = made("a", [1]); const b = made("b", [2]); function result() { return [log.length, a, a]; }`;
  expect(run(lazily(code))).toBe('[["a"],[0,[1],[1]]]');
});

it.each(["process.env", "await given", "globalThis.given", "performance.now()"])(
  "leaves %s as it is",
  (value) => {
    const code = `const a = ${value}; function result() { return a; }`;
    expect(lazily(code)).toBe(code);
  },
);
