// A home and a project of a test's own, with the agents it wants, and `sotto init` in it: as a process, or the function that it calls.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { built } from "./built.ts";
import { type Ran, runSotto, sottoHere, temporaryDirectory } from "./run-sotto.ts";

/** What `sotto` on the path is, for the function. */
const SOURCE_BIN = join(import.meta.dirname, "../bin/sotto.js");

export interface InitYard {
  root: string;
  home: string;
  project: string;
  environment: Record<string, string>;
  put(path: string, text: string): string;
  text(path: string): string | undefined;
  /** Where the record of what was done is. */
  state: string;
  init(...args: string[]): Promise<Ran>;
  doctor(): Promise<Record<string, { status: string; words: string; fix?: string }>>;
  /** `sotto` can be called by name, as after an installation. */
  installOnPath(): void;
  installAgent(binary: string): void;
}

export function initYard({ name = "project", asProcess = false } = {}): InitYard {
  const root = realpathSync(temporaryDirectory());
  const [home, project, bin, state] = ["home", name, "bin", "state"].map((part) => join(root, part)) as [
    string,
    string,
    string,
    string,
  ];
  for (const directory of [home, project, bin]) mkdirSync(directory);
  const environment = { HOME: home, XDG_STATE_HOME: state, PATH: bin };
  const put = (path: string, text: string) => {
    const full = join(project, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  const run = (args: readonly string[]) =>
    (asProcess ? runSotto : sottoHere)(args, { cwd: project, env: environment });
  return {
    root,
    home,
    project,
    environment,
    put,
    text: (path) => (existsSync(join(project, path)) ? readFileSync(join(project, path), "utf8") : undefined),
    state: join(state, "sotto/init"),
    init: (...args) => run(["init", ...args]),
    async doctor() {
      const { stdout } = await run(["doctor", "--json"]);
      const { findings } = JSON.parse(stdout) as {
        findings: { about: string; status: string; words: string; fix?: string }[];
      };
      return Object.fromEntries(findings.map(({ about, ...finding }) => [about, finding]));
    },
    installOnPath: () => symlinkSync(realpathSync(asProcess ? built().bin : SOURCE_BIN), join(bin, "sotto")),
    installAgent(binary) {
      writeFileSync(join(bin, binary), "#!/bin/sh\n");
      chmodSync(join(bin, binary), 0o755);
    },
  };
}
