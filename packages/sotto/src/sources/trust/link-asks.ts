// The links of a project that lead out of it: what is behind them is read only where the user allows it.

import type { Desk } from "../files/file-access.ts";
import type { OutwardLink } from "../files/project.ts";
import { walk } from "../files/walk.ts";
import { directoriesDown, isWithin, joined, parentOf } from "../../platform/paths-of-memory.ts";
import { linkContent } from "./allowed-links.ts";
import type { TrustAsk } from "./trust-ask.ts";

const MOST_ENTRIES = 50_000;
const MOST_LINKS = 200;
/** Of the hidden directories, those that are read. */
const READ = new Set([".claude", ".sotto"]);

/** What is read of directories above the project. */
const ABOVE = [
  "AGENTS.md",
  "CLAUDE.md",
  "CLAUDE.local.md",
  ".claude/CLAUDE.md",
  ".claude/rules",
  ".sotto/rules",
];

export async function linkAsks(desk: Desk): Promise<TrustAsk[]> {
  const project = await desk.project();
  const found: TrustAsk[] = [];
  const ask = (link: OutwardLink | undefined, from: string) => {
    if (link === undefined || found.length >= MOST_LINKS) return;
    const asks = [`leads out of ${from}, to ${link.target}`];
    const { path, place } = link;
    if (found.every((one) => one.path !== path))
      found.push({ kind: "link", path, key: place, content: linkContent(link), asks });
  };
  for (const path of await linksIn(project.ground))
    if (project.owns(path)) ask(await project.leadingOut(path), "the project");
  const users = [desk.configDirectory, joined(desk.home, ".claude")];
  for (const directory of directoriesDown("/", parentOf(project.ground)))
    for (const path of ABOVE.map((name) => joined(directory, name)))
      if (!users.some((one) => isWithin(one, path)))
        ask(await project.leadingOut(path, directory), directory);
  return found;
}

/** In environments that programs make, and in what package managers install, nobody is asked about links. */
async function linksIn(ground: string): Promise<string[]> {
  const environments: string[] = [];
  const links: string[] = [];
  await walk(ground, {
    most: MOST_ENTRIES,
    see(path, entry) {
      if (entry.isSymbolicLink() && links.length < MOST_LINKS * 10) links.push(path);
      if (entry.name === "pyvenv.cfg") environments.push(parentOf(path));
    },
    isSkipped: (_path, name) => name.startsWith(".") && !READ.has(name),
  });
  return links.filter((path) => !environments.some((directory) => isWithin(directory, path))).sort();
}
