// Skills: folders with a SKILL.md, of the user and of the project. Read tolerantly, with all problems reported.

import { errorText } from "../platform/errors.ts";
import type { Job } from "../platform/platform.ts";
import type { Reader } from "./files/reader.ts";
import { splitFrontmatter } from "./frontmatter.ts";
import type { Takes } from "./trust/outside-project.ts";
import type { SkillFields } from "./yaml-jobs.ts";

/** A skill: its name, its description and its file. */
export interface Skill {
  name: string;
  /** When to use it, in one line. */
  description: string;
  /** Its SKILL.md. */
  path: string;
  /** Where its other files are. */
  directory: string;
  kind: "user" | "project";
  /** Its current text; rejects if it cannot be read. */
  read(): Promise<string>;
}

/** What `skillsFor` returns: the skills, and problems with their files. */
export interface FoundSkills {
  skills: Skill[];
  /** What a person should fix. */
  problems: string[];
}

export interface SkillPlaces {
  cwd: string;
  home: string;
  configDirectory: string;
  reader: Reader;
  takes: Takes;
  work(job: Job): Promise<unknown>;
}

const FILE = "SKILL.md";
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,99}$/u;
const MOST_BYTES = 256 * 1024;
const MOST_BLOCK = 65_536;
const MOST_SKILLS = 200;
const LONGEST_DESCRIPTION = 1000;
const JOBS = new URL(import.meta.url.endsWith(".ts") ? "./yaml-jobs.ts" : "./yaml-jobs.js", import.meta.url)
  .href;

/** By name. A project's skill never replaces the user's. */
export async function findSkills(places: SkillPlaces): Promise<FoundSkills> {
  const { cwd, home, configDirectory } = places;
  const problems: string[] = [];
  const byName = new Map<string, Skill>();
  const users = places.takes("user_skills") ? [`${home}/.claude/skills`, `${configDirectory}/skills`] : [];
  const roots = [
    ...users.map((root) => ({ root, kind: "user" as const })),
    { root: `${cwd}/.claude/skills`, kind: "project" as const },
    { root: `${cwd}/.sotto/skills`, kind: "project" as const },
  ];
  for (const { root, kind } of roots)
    for (const folder of await foldersIn({ root, kind }, places.reader, problems)) {
      const directory = `${root}/${folder}`;
      const skill = await skillIn({ directory, folder, kind, places, problems });
      if (skill === undefined) continue;
      const before = byName.get(skill.name);
      const keepsBefore = before?.kind === "user" && kind === "project";
      const [taken, left] = keepsBefore ? [before, skill] : [skill, before];
      if (left !== undefined) problems.push(`${left.path}: ${taken.path} of the same name is taken instead`);
      byName.set(taken.name, taken);
    }
  return { skills: [...byName.values()].slice(0, MOST_SKILLS), problems };
}

async function foldersIn(
  { root, kind }: { root: string; kind: Skill["kind"] },
  reader: Reader,
  problems: string[],
): Promise<string[]> {
  const listed = await reader.list(root, { limit: MOST_SKILLS, anywhere: kind === "user" });
  if (listed.kind === "missing") return [];
  if (listed.kind !== "directory") {
    problems.push(`${root}: it cannot be listed (${"rule" in listed ? listed.rule : listed.kind})`);
    return [];
  }
  if (listed.truncated) problems.push(`${root}: only the first ${MOST_SKILLS} entries are read`);
  return listed.entries
    .filter(({ kind, name }) => (kind === "directory" || kind === "link") && !name.startsWith("."))
    .map(({ name }) => name)
    .sort();
}

interface Folder {
  directory: string;
  folder: string;
  kind: Skill["kind"];
  places: SkillPlaces;
  problems: string[];
}

async function skillIn({ directory, folder, kind, places, problems }: Folder): Promise<Skill | undefined> {
  const path = `${directory}/${FILE}`;
  const complain = (what: string) => void problems.push(`${path}: ${what}`);
  const load = () => textOf(path, places.reader, kind);
  const text = await load().catch((error: unknown) => {
    complain(errorText(error));
    return undefined;
  });
  if (text === undefined) return undefined;
  const { block, body } = splitFrontmatter(text);
  if (body.trim() === "") return complain("it has no text");
  const fields = block === undefined ? { problem: "there is none" } : await fieldsOf(block, path, places);
  if (fields.problem !== undefined) complain(`its frontmatter: ${fields.problem}`);
  const { name = folder, description = firstLine(body) } = fields;
  if (fields.description === undefined) complain("description: missing, its first line is used");
  if (!NAME.test(name))
    complain(`name: ${JSON.stringify(name.slice(0, 100))} cannot be used, the folder's is`);
  const used = NAME.test(name) ? name : folder;
  if (!NAME.test(used))
    return complain("name: neither it nor the folder's can be used; letters, digits, _ . : - can");
  return {
    name: used,
    description: oneLine(description),
    path,
    directory,
    kind,
    read: async () => splitFrontmatter(await load()).body.trim(),
  };
}

async function textOf(path: string, reader: Reader, kind: Skill["kind"]): Promise<string> {
  const read = await reader.read(path, { maxBytes: MOST_BYTES, anywhere: kind === "user" });
  if (read.kind === "missing") throw new Error("it is not there");
  if (read.kind === "denied") throw new Error(`it may not be read: ${read.rule}`);
  if (read.kind !== "text") throw new Error(`it cannot be read (${read.kind})`);
  if (read.truncated) throw new Error(`it has more than ${MOST_BYTES} bytes`);
  return read.text;
}

async function fieldsOf(block: string, path: string, { work }: SkillPlaces): Promise<SkillFields> {
  if (block.length > MOST_BLOCK) return { problem: `it is longer than ${MOST_BLOCK} characters` };
  const about = `the frontmatter of ${path}`;
  return work({ module: JOBS, name: "readSkillFields", input: { block }, about }).then(
    (fields) => fields as SkillFields,
    (error: unknown) => ({ problem: errorText(error) }),
  );
}

function firstLine(body: string): string {
  return (
    body
      .trim()
      .split("\n", 1)[0]
      ?.replace(/^#+\s*/u, "") ?? ""
  );
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length <= LONGEST_DESCRIPTION ? line : `${line.slice(0, LONGEST_DESCRIPTION).toWellFormed()}…`;
}
