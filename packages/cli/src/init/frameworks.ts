// Which libraries for models a project uses, by its package.json and its Python files. No source is read.

import { join } from "node:path";
import { readRegularSync } from "../../../sotto/src/platform/regular-file.ts";
import { type Advice, javascriptAdvice, pythonAdvice } from "./framework-advice.ts";

export interface FoundFramework extends Advice {
  /** The file that names it. */
  file: string;
}

export function findFrameworks(project: string): FoundFramework[] {
  const read = (name: string) => textOf(join(project, name));
  const packages = packagesIn(read("package.json"));
  const found = javascriptAdvice
    .filter((advice) => packages.has(advice.package))
    .map((advice) => ({ ...advice, file: "package.json" }));
  const python = ["pyproject.toml", "requirements.txt"].flatMap((file) =>
    pythonAdvice.filter((advice) => names(read(file), advice.package)).map((advice) => ({ ...advice, file })),
  );
  const first = python.filter(
    (one, index) => python.findIndex((other) => other.package === one.package) === index,
  );
  return [...found, ...first];
}

function packagesIn(text: string): Set<string> {
  try {
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(text) as Record<string, object>;
    return new Set(Object.keys({ ...peerDependencies, ...devDependencies, ...dependencies }));
  } catch {
    return new Set();
  }
}

/** As a requirement: a line of its own, a quoted one in a list, or the key of a table. */
function names(text: string, name: string): boolean {
  const line = `^\\s*${name}(?:\\[[^\\]]*\\])?\\s*(?:[<>=~!;@#].*)?$`;
  const quoted = `(["'])${name}(?:\\[[^\\]]*\\])?\\s*(?:[<>=~!;@][^"'\\n]*)?\\1`;
  return new RegExp(`${quoted}|${line}`, "imu").test(text);
}

const MOST_BYTES = 4 * 1024 * 1024;

function textOf(path: string): string {
  try {
    return readRegularSync(path, MOST_BYTES).toString("utf8");
  } catch {
    return "";
  }
}
