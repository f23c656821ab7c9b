// Skills on a real disk: found, read tolerantly, told of where something is wrong.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { skillsFor } from "sotto/inspect";
import { afterEach, beforeEach, expect, it } from "vitest";

const trust = { user: true };
let cwd: string;
let home: string;
beforeEach(() => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "sotto-skills-")));
  [cwd, home] = [join(directory, "project"), join(directory, "home")];
  mkdirSync(cwd);
});
afterEach(() => rmSync(dirname(cwd), { recursive: true, force: true }));

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const skill = (name: string, description: string, text = "Do it.") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${text}\n`;
const find = async (denyRead: string[] = []) => {
  const { skills, problems } = await skillsFor({ cwd, home, trust, permissions: { denyRead } });
  return { skills: skills.map(({ name, description, kind }) => ({ name, description, kind })), problems };
};

it("are found in all four places, and a project's takes nobody's name", async () => {
  const mine = write(join(home, ".claude/skills/review/SKILL.md"), skill("review", "Mine."));
  write(join(home, ".config/sotto/skills/notes/SKILL.md"), skill("notes", "Take notes."));
  const theirs = write(join(cwd, ".claude/skills/review/SKILL.md"), skill("review", "The project's."));
  write(join(cwd, ".sotto/skills/release/SKILL.md"), skill("release", "Tag and publish."));
  write(join(cwd, ".sotto/skills/README.md"), "no folder");
  expect(await find()).toEqual({
    skills: [
      { name: "review", description: "Mine.", kind: "user" },
      { name: "notes", description: "Take notes.", kind: "user" },
      { name: "release", description: "Tag and publish.", kind: "project" },
    ],
    problems: [`${theirs}: ${mine} of the same name is taken instead`],
  });
});

it("has its text as it is when it is read, without the frontmatter", async () => {
  const path = write(join(cwd, ".sotto/skills/a/SKILL.md"), skill("a", "A."));
  const [found] = (await skillsFor({ cwd, home, trust })).skills;
  writeFileSync(path, skill("a", "A.", "Do something else."));
  expect(await found?.read()).toBe("Do something else.");
  rmSync(path);
  await expect(found?.read()).rejects.toThrow("it is not there");
});

it.each([
  [
    "no frontmatter",
    "# Heading of it\n\nText.",
    { name: "folder", description: "Heading of it" },
    ["its frontmatter: there is none", "description: missing"],
  ],
  [
    "a folded description",
    "---\nname: x\ndescription: >-\n  Two\n  lines.\n---\nText.",
    { name: "x", description: "Two lines." },
    [],
  ],
  [
    "a colon in it, which is no YAML",
    "---\nname: x\ndescription: Use this: always\n---\nText.",
    { name: "x", description: "Use this: always" },
    ["its frontmatter: "],
  ],
  [
    "a bad name",
    "---\nname: ../x\ndescription: d\n---\nText.",
    { name: "folder", description: "d" },
    ['name: "../x" cannot be used'],
  ],
  [
    "aliases without end",
    `---\na: &a [x]\nb: *a\ndescription: d\n---\nText.`,
    { name: "folder", description: "d" },
    ["its frontmatter: "],
  ],
  [
    "fields of another kind",
    "---\nname: [x]\ndescription: { a: 1 }\n---\nText.",
    { name: "folder", description: "Text." },
    ["description: missing"],
  ],
])("%s", async (_, text, expected, words) => {
  write(join(cwd, ".sotto/skills/folder/SKILL.md"), text);
  const { skills, problems } = await find();
  expect(skills).toEqual([{ ...expected, kind: "project" }]);
  expect(problems).toEqual(words.map((word) => expect.stringContaining(word)));
});

it("what cannot be taken is told, and costs only itself", async () => {
  write(join(cwd, ".sotto/skills/good/SKILL.md"), skill("good", "Good."));
  write(join(cwd, ".sotto/skills/empty/SKILL.md"), "---\ndescription: d\n---\n");
  write(join(cwd, ".sotto/skills/large/SKILL.md"), "x".repeat(300_000));
  write(join(cwd, ".sotto/skills/denied/SKILL.md"), skill("denied", "d"));
  mkdirSync(join(cwd, ".sotto/skills/none"));
  const secret = write(join(home, "secret.md"), "a canary");
  mkdirSync(join(cwd, ".sotto/skills/link"));
  symlinkSync(secret, join(cwd, ".sotto/skills/link/SKILL.md"));
  mkdirSync(join(cwd, ".sotto/skills/device"));
  symlinkSync("/dev/zero", join(cwd, ".sotto/skills/device/SKILL.md"));
  const { skills, problems } = await find(["denied"]);
  expect(skills.map(({ name }) => name)).toEqual(["good"]);
  expect(problems.map((problem) => problem.replace(`${cwd}/.sotto/skills/`, "")).sort()).toEqual([
    "device/SKILL.md: it cannot be read (special)",
    "empty/SKILL.md: it has no text",
    "large/SKILL.md: it has more than 262144 bytes",
    `link/SKILL.md: it may not be read: it leads outside ${cwd}, to ${secret}; \`sotto trust\` allows such links`,
    "none/SKILL.md: it is not there",
  ]);
});

it("are the project's alone unless the user's are asked for", async () => {
  write(join(home, ".claude/skills/review/SKILL.md"), skill("review", "Mine."));
  write(join(home, ".config/sotto/skills/notes/SKILL.md"), skill("notes", "Mine."));
  write(join(cwd, ".sotto/skills/release/SKILL.md"), skill("release", "Tag and publish."));
  const { skills } = await skillsFor({ cwd, home });
  expect(skills.map(({ name }) => name)).toEqual(["release"]);
});
