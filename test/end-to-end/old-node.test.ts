// Below the oldest supported Node: importing works, createSession says what is needed, and all pages name that version.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { OLDEST_NODE } from "sotto/internal";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeFinding } from "../../packages/cli/src/doctor/machine.ts";
import { checkNodeVersion } from "../../packages/sotto/src/platform/node-version.ts";
import { findOldNode } from "../support/old-node.ts";

const root = join(import.meta.dirname, "../..");
const text = (path: string) => readFileSync(join(root, path), "utf8");

describe("an older Node", () => {
  test.each(["18.19.0", "20.20.2", "21.7.3", "22.12.0"])("%s is refused in one line", (version) => {
    expect(() => checkNodeVersion(version)).toThrow(
      `Sotto needs Node ${OLDEST_NODE} or later; this is Node ${version}`,
    );
  });

  test.each(["22.13.0", "22.22.1", "24.0.0"])("%s is not", (version) => {
    expect(() => checkNodeVersion(version)).not.toThrow();
  });

  const old = findOldNode();
  test.skipIf(old === undefined)(
    'a real one imports "sotto", and createSession throws one line',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), "sotto-old-node-"));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      const bundle = await rolldown({
        input: join(root, "packages/sotto/src/index.ts"),
        platform: "node",
        external: (id) => !id.startsWith(".") && !id.startsWith("/") && !/^(?:valibot|ignore|yaml)/u.test(id),
      });
      await bundle.write({ dir: directory, format: "esm", entryFileNames: "index.mjs" });
      await bundle.close();
      const url = pathToFileURL(join(directory, "index.mjs")).href;
      const code = `
        import { createSession } from ${JSON.stringify(url)};
        try { createSession({ cwd: "/" }); } catch ({ name, code, message }) {
          console.log(JSON.stringify({ name, code, message, version: process.versions.node }));
        }`;
      const out = execFileSync(old as string, ["--input-type=module", "-e", code], { encoding: "utf8" });
      const { version, ...thrown } = JSON.parse(out);
      expect(thrown).toEqual({
        name: "SottoError",
        code: "unsupported_node",
        message: `Sotto needs Node ${OLDEST_NODE} or later; this is Node ${version}`,
      });
    },
  );
});

describe("the version that is needed", () => {
  test.each(["sotto", "agent", "cli"])("is in the package.json of %s", (name) => {
    const { engines } = JSON.parse(text(`packages/${name}/package.json`));
    expect(engines).toEqual({ node: `>=${OLDEST_NODE}` });
  });

  test.each([
    "packages/sotto/README.md",
    "packages/cli/README.md",
    "packages/cli/bin/sotto.js",
    "examples/README.md",
    "docs/guide/in-pi.md",
  ])("is in %s", (path) => {
    expect(text(path)).toContain(OLDEST_NODE);
  });

  test("is what doctor asks for", () => {
    expect(nodeFinding(`v${OLDEST_NODE}.0`)).toMatchObject({ status: "ok" });
    expect(nodeFinding("v22.12.0")).toMatchObject({
      status: "problem",
      words: `v22.12.0 (needs ${OLDEST_NODE} or later)`,
    });
  });
});
