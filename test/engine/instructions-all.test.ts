// Everything that can speak at the start of a session, what is wrong with it, and what is asked before a file is written.

import type { Session, Turn } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { outcomeOf } from "../support/telling.ts";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => world.remove());

const rule = (paths: string, body: string) => `---\npaths: ${paths}\n---\n${body}`;
const short = (path: string) => path.replace(`${world.root}/`, "");

function dataOf<Data>({ attachments }: Turn, type: string): Data[] {
  return attachments.flatMap((one) => (one.type === type ? [one.data as Data] : []));
}

async function next(session: Session): Promise<string[]> {
  const turn = await session.turn();
  await turn.commit();
  return dataOf<{ path: string }>(turn, "nested_memory").map(({ path }) => short(path));
}

describe("the start of a session", () => {
  it("says all that holds, from managed to local, imports behind their importers, with the host's sections", async () => {
    const files = {
      "managed/always.md": "managed",
      "managed/some.md": rule("x", "not at the start"),
      ".home/.claude/CLAUDE.md": "user @tone.md",
      ".home/.claude/tone.md": "tone",
      ".home/.claude/rules/own.md": "user rule",
      ".home/.claude/rules/tsx.md": rule("'*.tsx'", "not at the start"),
      "repo/AGENTS.md": "top @docs/style.md",
      "repo/docs/style.md": "style",
      "repo/CLAUDE.local.md": "top local",
      "repo/app/AGENTS.md": "app",
      "repo/app/CLAUDE.md": "@AGENTS.md @../docs/style.md more",
      "repo/app/.claude/CLAUDE.md": "hidden",
      "repo/app/.claude/rules/b.md": "rule b",
      "repo/app/.sotto/rules/a.md": "rule a",
      "repo/app/.claude/rules/ts.md": rule('"**/*.ts"', "not at the start"),
      "repo/app/CLAUDE.local.md": "local",
      "repo/.git/HEAD": "ref: refs/heads/main",
    };
    for (const [path, content] of Object.entries(files)) world.write(path, content);
    const sections = { gitStatus: "clean", currentDate: "2026-11-15" };
    const turn = await openIn(world, {
      cwd: world.at("repo/app"),
      config: { memory: { managed_dir: world.at("managed") } },
      sources: [{ fact: "contextSections", observe: () => sections }],
    }).turn();
    const [context] = dataOf<{ files: { path: string; kind: string }[]; extra: object }>(
      turn,
      "project_context",
    );
    expect(context?.files.map(({ path, kind }) => `${kind} ${short(path)}`)).toEqual([
      "managed managed/always.md",
      "user .home/.claude/CLAUDE.md",
      "user .home/.claude/tone.md",
      "user .home/.claude/rules/own.md",
      "project repo/AGENTS.md",
      "project repo/docs/style.md",
      "local repo/CLAUDE.local.md",
      "project repo/app/AGENTS.md",
      "project repo/app/CLAUDE.md",
      "project repo/app/.claude/CLAUDE.md",
      "project repo/app/.claude/rules/b.md",
      "project repo/app/.sotto/rules/a.md",
      "local repo/app/CLAUDE.local.md",
    ]);
    expect(context?.extra).toEqual(sections);
    expect(turn.reminders[0]?.text).toContain(
      "# gitStatus\nclean\n\n# currentDate\n2026-11-15\n\nThe other sections may or may not matter",
    );
  });
});

describe("frontmatter that is no YAML", () => {
  it("is loaded as text, and the reason says what is wrong with it", async () => {
    world.write("src/.claude/rules/broken.md", "---\npaths: [a\n---\nBroken.");
    world.write("src/.claude/rules/bare.md", rule("**/*.ts", "Bare."));
    world.write("src/a.ts", "a");
    const session = openIn(world);
    await session.record({ type: "file_read", path: "src/a.ts" });
    const found = dataOf<{ content: string; reason: string }>(await session.turn(), "nested_memory");
    expect(found.map(({ content, reason }) => [content, reason])).toEqual([
      [
        "Broken.",
        expect.stringContaining("lies in src/; its frontmatter cannot be read, so it is always loaded"),
      ],
      ["Bare.", expect.stringContaining("matches **/*.ts; its frontmatter is not valid YAML")],
    ]);
  });

  it("is told before what merely does not match, however much that is", async () => {
    for (let index = 0; index < 30; index++)
      world.write(`.claude/rules/r${index}.md`, rule('"**/*.py"', `Rule ${index}.`));
    world.write(".claude/rules/z.md", rule("**/*.rs", "Rust."));
    world.write("a.ts", "a");
    const session = openIn(world);
    await session.record({ type: "file_read", path: "a.ts" });
    expect(outcomeOf(await session.turn(), "nested_memory")).toMatch(
      /^nothing: no new instruction file applies to \S+a\.ts; \d+ left out, or with a problem: \S+z\.md: its frontmatter is not valid YAML/u,
    );
  });
});

describe("before a file is written", () => {
  const unsaid = async (session: Session, path: string) =>
    (await session.beforeWrite(path)).unsaid.map((file) => short(file.path));

  beforeEach(() => {
    world.write("src/AGENTS.md", "About src.");
    world.write("lib/AGENTS.md", "About lib.");
  });

  it("several at once are all answered, and each file is said once", async () => {
    const session = openIn(world);
    const paths = ["src/a.ts", "lib/b.ts", "src/c.ts", "src/a.ts"];
    const answers = await Promise.all(paths.map((path) => unsaid(session, path)));
    expect(
      answers.map((answer, index) => answer.includes(paths[index]?.replace(/[^/]+$/u, "AGENTS.md") ?? "")),
    ).toEqual([true, true, true, true]);
    expect((await next(session)).sort()).toEqual(["lib/AGENTS.md", "src/AGENTS.md"]);
    expect(await unsaid(session, "src/d.ts")).toEqual([]);
    expect(await next(session)).toEqual([]);
  });

  it("while a turn is under way nothing is said twice or lost", async () => {
    const session = openIn(world);
    const [turn, answer] = await Promise.all([session.turn(), session.beforeWrite("src/a.ts")]);
    await turn.commit();
    const said = dataOf<{ path: string }>(turn, "nested_memory").map(({ path }) => short(path));
    expect([...said, ...(await next(session))]).toEqual(["src/AGENTS.md"]);
    const answered = [...answer.unsaid, ...answer.silent].map(({ path }) => short(path));
    // The turn may have sent it by then.
    expect(said.length > 0 ? [...new Set([...said, ...answered])] : answered).toEqual(["src/AGENTS.md"]);
  });

  it("in plan mode it is answered all the same", async () => {
    const session = openIn(world);
    await session.record({ type: "mode_changed", mode: "plan" });
    expect(await unsaid(session, "src/a.ts")).toEqual(["src/AGENTS.md"]);
  });

  it("outside of the working directory nothing speaks, and it says so", async () => {
    const { unsaid: none, silent } = await openIn(world).beforeWrite("/elsewhere/a.ts");
    expect([none, silent]).toEqual([
      [],
      [
        {
          path: "/elsewhere/a.ts",
          reason: `is outside the working directory ${world.root}: nothing speaks about it`,
        },
      ],
    ]);
  });

  it("where all is switched off it says so", async () => {
    const { silent } = await openIn(world, { config: { enabled: false } }).beforeWrite("src/a.ts");
    expect(silent).toEqual([{ path: world.at("src/a.ts"), reason: "switched off: enabled = false" }]);
  });
});
