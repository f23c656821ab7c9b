// The cases of mentions.json through what the library and the CLI say about them.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mentionsIn } from "sotto/inspect";
import { expect, test } from "vitest";
import { runSotto } from "../../packages/cli/test/run-sotto.ts";
import { type Attached, type MentionCase, mentionCases, temporaryRoot } from "../support/file-cases.ts";

interface Question {
  prompt: string;
  cwd: string;
  home: string;
  servers: string[];
  agents: string[];
}

type Ask = (question: Question) => Promise<Omit<Attached, "dirs"> & { directories: string[] }>;

const program: Ask = async ({ prompt, cwd, home, servers, agents }) => {
  const options = [
    ...servers.flatMap((name) => ["--mcp-server", name]),
    ...agents.flatMap((type) => ["--agent", type]),
  ];
  const { code, stdout } = await runSotto(["mentions", "--cwd", cwd, "--json", ...options], {
    input: prompt,
    env: { HOME: home },
  });
  expect(code).toBe(0);
  return JSON.parse(stdout);
};

/** Home, a NUL, resources, an agent that is none, letters that are not ASCII. */
const BY_PROGRAM = ["M075", "M108", "M118", "M132", "M139"];

async function check(given: MentionCase, ask: Ask): Promise<void> {
  const root = temporaryRoot();
  const cwd = join(root, "w/proj");
  const home = join(root, "home");
  const real = (path: string) => {
    if (path.startsWith("~/")) return join(home, path.slice(2));
    return path.startsWith("/") ? join(root, path) : join(cwd, path);
  };
  for (const directory of [cwd, home]) mkdirSync(directory, { recursive: true });
  for (const entry of given.tree) {
    const path = real(entry);
    mkdirSync(entry.endsWith("/") ? path : dirname(path), { recursive: true });
    if (!entry.endsWith("/")) writeFileSync(path, `${entry}\n`);
  }
  const { files, directories, mcp, agents } = await ask({
    prompt: given.prompt.replace(/(?<=(?:^|\s)@"?)\/w\b/gu, join(root, "w")),
    cwd,
    home,
    servers: Object.keys(given.servers).filter((name) => given.servers[name]?.connected),
    agents: given.agents,
  });
  const accepted = [given.expect, ...(given.alsoAccept ?? [])].map((outcome) => ({
    ...outcome,
    files: outcome.files.map((file) => ({ ...file, path: real(file.path) })),
    dirs: outcome.dirs.map(real),
  }));
  const arrange = given.ordered ? (lists: Attached) => lists : sorted;
  expect(accepted.map(arrange)).toContainEqual(arrange({ files, dirs: directories, mcp, agents }));
}

function sorted({ files, dirs, mcp, agents }: Attached): Attached {
  const order = <Value>(values: readonly Value[]) =>
    [...values].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { files: order(files), dirs: order(dirs), mcp: order(mcp), agents: order(agents) };
}

test.each(mentionCases)("$id $topic: $prompt", (given) => check(given, mentionsIn));
test.each(mentionCases.filter(({ id }) => BY_PROGRAM.includes(id)))("$id $topic, by the program", (given) =>
  check(given, program),
);
