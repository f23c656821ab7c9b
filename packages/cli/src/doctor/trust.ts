// What the project's files ask for that nobody has allowed, or that changed since.

import { projectTrust, trustBook } from "sotto";
import { createShortPaths } from "../../../agent/src/terminal/short-paths.ts";
import { count } from "../../../agent/src/terminal/text.ts";
import type { Check, Finding } from "./finding.ts";

export const checkTrust: Check = async ({ cwd, home }) => {
  const { items } = await projectTrust({ cwd });
  const short = createShortPaths({ cwd, home });
  const open = items.filter(({ state }) => state !== "trusted");
  const words = `${count(items.length - open.length, "file")} of the project trusted, ${open.length} not`;
  const asking = open.map(
    ({ path, state, asks }): Finding => ({
      about: "trust",
      status: "warning",
      words: `${short.path(path)} ${state === "changed" ? "has changed since it was trusted" : "is not trusted"}: it ${asks.join("; ")}`,
      fix: "sotto trust shows it, and asks",
    }),
  );
  const problem = await trustBook().problem();
  const broken: Finding[] =
    problem === undefined
      ? []
      : [{ about: "trust", status: "problem", words: `${trustBook().path}: ${problem}` }];
  return [{ about: "trust", status: "ok", words }, ...asking, ...broken];
};
