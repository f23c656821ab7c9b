import { describe, expect, it } from "vitest";
import { ruleFor, useMemoryTree } from "../../../../../test/support/memory-tree.ts";
import type { MemorySettings } from "./types.ts";

const tree = useMemoryTree();

describe("nested memory", () => {
  it("comes from the directories between cwd and the path, then from those above, in order", async () => {
    await tree.plant({
      dirs: ["/repo/.git"],
      files: {
        "/managed/m.md": ruleFor("**/*.tsx", "managed"),
        "/managed/always.md": "managed, always",
        "/home/dev/.claude/rules/u.md": ruleFor("src/**", "user"),
        "/home/dev/.config/sotto/rules/c.md": ruleFor("*.css", "user, for css"),
        "/repo/CLAUDE.md": "of the repository",
        "/repo/.claude/rules/all.md": "no paths",
        "/repo/.claude/rules/r.md": ruleFor("app/src/**", "repository rule"),
        "/repo/app/AGENTS.md": "of cwd",
        "/repo/app/.sotto/rules/ui/deep.md": ruleFor("src/ui/*.tsx", "cwd rule"),
        "/repo/app/src/AGENTS.md": "src",
        "/repo/app/src/CLAUDE.md": "src too @./more.md",
        "/repo/app/src/more.md": "more",
        "/repo/app/src/.claude/CLAUDE.md": "src three",
        "/repo/app/src/CLAUDE.local.md": "mine",
        "/repo/app/src/.claude/rules/b.md": ruleFor("ui/**", "for ui"),
        "/repo/app/src/.claude/rules/a.md": ruleFor("*.css", "for css"),
        "/repo/app/src/.claude/rules/c.md": "for all of src",
        "/repo/app/src/ui/CLAUDE.md": "ui",
        "/repo/app/other/CLAUDE.md": "elsewhere",
      },
    });
    const memory = tree.memoryAt("/repo/app");
    const result = await memory.nested({ path: `${tree.root}/repo/app/src/ui/Button.tsx` });
    expect(tree.told(result)).toMatchInlineSnapshot(`
      "
      + /managed/m.md [managed] src/ui/Button.tsx matches **/*.tsx
      + /home/dev/.claude/rules/u.md [user] src/ui/Button.tsx matches src/**
      + /repo/app/src/AGENTS.md [project] src/ui/Button.tsx lies in src/
      + /repo/app/src/CLAUDE.md [project] src/ui/Button.tsx lies in src/
      + /repo/app/src/more.md [project] imported by /repo/app/src/CLAUDE.md
      + /repo/app/src/.claude/CLAUDE.md [project] src/ui/Button.tsx lies in src/
      + /repo/app/src/.claude/rules/c.md [project] src/ui/Button.tsx lies in src/
      + /repo/app/src/.claude/rules/b.md [project] src/ui/Button.tsx matches ui/**
      + /repo/app/src/CLAUDE.local.md [local] src/ui/Button.tsx lies in src/
      + /repo/app/src/ui/CLAUDE.md [project] src/ui/Button.tsx lies in src/ui/
      + /repo/.claude/rules/r.md [project] src/ui/Button.tsx matches app/src/**
      + /repo/app/.sotto/rules/ui/deep.md [project] src/ui/Button.tsx matches src/ui/*.tsx
      - /managed/always.md: has no paths: it loads at session start
      - /home/dev/.config/sotto/rules/c.md: src/ui/Button.tsx does not match *.css
      - /repo/app/src/.claude/rules/a.md: src/ui/Button.tsx does not match *.css
      - /repo/.claude/rules/all.md: has no paths: it loads at session start
      "
    `);
    expect(result.loaded.every((one) => one.for === `${tree.root}/repo/app/src/ui/Button.tsx`)).toBe(true);
    expect(result.loaded[0]).toMatchObject({ content: "managed\n", hash: expect.any(String) });
    expect(tree.told(await memory.session())).toMatchInlineSnapshot(`
      "
      + /managed/always.md [managed] managed rule without paths
      + /repo/CLAUDE.md [project] in /repo, which holds the working directory
      + /repo/.claude/rules/all.md [project] rule without paths in /repo, which holds the working directory
      + /repo/app/AGENTS.md [project] in the working directory
      - /managed/m.md: waits for a path that matches **/*.tsx
      - /home/dev/.claude/rules/u.md: waits for a path that matches src/**
      - /home/dev/.config/sotto/rules/c.md: waits for a path that matches *.css
      - /repo/.claude/rules/r.md: waits for a path that matches app/src/**
      - /repo/app/.sotto/rules/ui/deep.md: waits for a path that matches src/ui/*.tsx
      "
    `);
  });

  it("leaves out what is switched off", async () => {
    await tree.plant({
      files: {
        "/home/dev/.claude/rules/u.md": ruleFor("**", "user"),
        "/home/dev/proj/pkg/CLAUDE.md": "project",
        "/home/dev/proj/pkg/CLAUDE.local.md": "local",
        "/home/dev/proj/.claude/rules/r.md": ruleFor("**", "project"),
      },
    });
    const path = `${tree.root}/home/dev/proj/pkg/a.ts`;
    const kinds = async (changes: Partial<MemorySettings>) => {
      const { loaded } = await tree.memoryAt("/home/dev/proj", changes).nested({ path });
      return loaded.map(({ kind }) => kind);
    };
    expect(await kinds({})).toEqual(["user", "project", "local", "project"]);
    // Even where home is above cwd, so that the user's rules lie where a project's would.
    expect(await kinds({ userSettings: false })).toEqual(["project", "local", "project"]);
    expect(await kinds({ projectSettings: false })).toEqual(["user", "local"]);
    expect(await kinds({ localSettings: false })).toEqual(["user", "project", "project"]);
    const off = { userSettings: false, projectSettings: false, localSettings: false };
    expect(tree.told(await tree.memoryAt("/home/dev/proj", off).nested({ path }))).toMatchInlineSnapshot(`
      "
      - /home/dev/.claude/rules: user_settings is off
      - /home/dev/.config/sotto/rules: user_settings is off
      - /home/dev/proj: project_settings is off: no project files, no project rules
      - /home/dev/proj: local_settings is off: no local files
      "
    `);
  });

  it("knows the file names and rules directories of the config", async () => {
    await tree.plant({
      files: {
        "/proj/pkg/GEMINI.md": "gemini",
        "/proj/pkg/CLAUDE.md": "not asked for",
        "/proj/pkg/.cursor/rules/x.md": "cursor",
        "/proj/pkg/.claude/rules/x.md": "not asked for",
      },
    });
    const memory = tree.memoryAt("/proj", { fileNames: ["GEMINI.md"], rulesDirs: [".cursor/rules"] });
    const { loaded } = await memory.nested({ path: `${tree.root}/proj/pkg/a.ts` });
    expect(loaded.map(({ content }) => content)).toEqual(["gemini", "cursor"]);
  });

  it("shows the same text of a directory once", async () => {
    await tree.plant({
      files: {
        "/proj/same/AGENTS.md": "text",
        "/proj/same/CLAUDE.md": "text\n",
        "/proj/imports/AGENTS.md": "text",
        "/proj/imports/CLAUDE.md": "@AGENTS.md\nand more",
        "/proj/link/AGENTS.md": "text",
      },
      symlinks: { "/proj/link/CLAUDE.md": "/proj/link/AGENTS.md" },
    });
    const memory = tree.memoryAt("/proj");
    const of = async (name: string) =>
      tree.told(await memory.nested({ path: `${tree.root}/proj/${name}/a.ts` }));
    expect((await of("same")) + (await of("imports")) + (await of("link"))).toMatchInlineSnapshot(`
      "
      + /proj/same/AGENTS.md [project] same/a.ts lies in same/
      - /proj/same/CLAUDE.md: has the same content as /proj/same/AGENTS.md

      + /proj/imports/AGENTS.md [project] imports/a.ts lies in imports/
      + /proj/imports/CLAUDE.md [project] imports/a.ts lies in imports/
      - /proj/imports/AGENTS.md: loaded already (imported by /proj/imports/CLAUDE.md)

      + /proj/link/AGENTS.md [project] link/a.ts lies in link/
      - /proj/link/CLAUDE.md: has the same content as /proj/link/AGENTS.md
      "
    `);
  });

  it("answers for a file that is not there yet", async () => {
    await tree.plant({
      files: { "/proj/pkg/CLAUDE.md": "x", "/proj/.claude/rules/r.md": ruleFor("pkg/new/**", "y") },
    });
    const { loaded } = await tree.memoryAt("/proj").nested({ path: "pkg/new/file.ts" });
    expect(loaded.map(({ content }) => content)).toEqual(["x", "y\n"]);
  });

  it("has nothing for a path outside cwd, and does not throw", async () => {
    await tree.plant({ files: { "/repo/.git/HEAD": "", "/repo/.claude/rules/r.md": ruleFor("**", "y") } });
    const memory = tree.memoryAt("/repo/app");
    for (const path of ["/repo/lib/a.ts", "/repo/appendix/a.ts", "/repo/app", "/", "/etc/hostname"])
      expect((await memory.nested({ path: tree.root + path })).loaded).toEqual([]);
    expect(tree.told(await memory.nested({ path: `${tree.root}/repo/lib/a.ts` }))).toMatchInlineSnapshot(`
      "
      - /repo/lib/a.ts: is outside the working directory /repo/app: nothing speaks about it
      "
    `);
  });

  it("finds a path by its real name where cwd is a link", async () => {
    await tree.plant({
      files: { "/real/pkg/CLAUDE.md": "x", "/real/.claude/rules/r.md": ruleFor("pkg/**", "y") },
      symlinks: { "/link": "/real" },
    });
    for (const [cwd, path] of [
      ["/link", "/real/pkg/a.ts"],
      ["/real", "/link/pkg/a.ts"],
    ]) {
      const { loaded } = await tree.memoryAt(cwd as string).nested({ path: tree.root + path });
      expect(loaded.map(({ path }) => path)).toEqual([
        `${tree.root}${cwd}/pkg/CLAUDE.md`,
        `${tree.root}${cwd}/.claude/rules/r.md`,
      ]);
    }
  });

  it("takes linked rules and rules directories, once per real file", async () => {
    await tree.plant({
      files: { "/shared/rules/a.md": "shared", "/shared/b.md": "b", "/proj/pkg/.sotto/rules/own.md": "own" },
      symlinks: {
        "/proj/pkg/.claude/rules": "/shared/rules",
        "/proj/pkg/.sotto/rules/a.md": "/shared/rules/a.md",
        "/proj/pkg/.sotto/rules/b.md": "/shared/b.md",
        "/proj/pkg/.sotto/rules/loop": "/proj/pkg/.sotto",
        "/proj/pkg/.sotto/rules/gone.md": "/nowhere.md",
      },
    });
    expect(
      tree.told(await tree.memoryAt("/proj").nested({ path: `${tree.root}/proj/pkg/a.ts` })),
    ).toMatchInlineSnapshot(`
      "
      + /proj/pkg/.claude/rules/a.md [project] pkg/a.ts lies in pkg/
      + /proj/pkg/.sotto/rules/b.md [project] pkg/a.ts lies in pkg/
      + /proj/pkg/.sotto/rules/own.md [project] pkg/a.ts lies in pkg/
      - /proj/pkg/.sotto/rules/a.md: loaded already, as /proj/pkg/.claude/rules/a.md
      - /proj/pkg/.sotto/rules/gone.md: is a link that leads nowhere
      "
    `);
  });

  it("cuts what is too long, and points to the rest", async () => {
    await tree.plant({
      files: {
        "/proj/pkg/CLAUDE.md": "line\n".repeat(3001),
        "/proj/pkg/.claude/rules/r.md": `---\npaths: "*.ts"\n---\n${"x".repeat(79)}\n`.padEnd(
          60_000,
          `${"y".repeat(79)}\n`,
        ),
      },
    });
    const { loaded } = await tree.memoryAt("/proj").nested({ path: `${tree.root}/proj/pkg/a.ts` });
    const ends = loaded.map(({ content, truncated }) => ({
      truncated,
      characters: content.lastIndexOf("\n\n["),
      end: content.slice(content.lastIndexOf("\n")).replaceAll(tree.root, ""),
    }));
    expect(ends).toMatchInlineSnapshot(`
      [
        {
          "characters": 14999,
          "end": "
      [/proj/pkg/CLAUDE.md goes on; what follows from line 3001 is not shown here.]",
          "truncated": true,
        },
        {
          "characters": 39999,
          "end": "
      [/proj/pkg/.claude/rules/r.md goes on; what follows from line 504 is not shown here.]",
          "truncated": true,
        },
      ]
    `);
  });

  it("skips what is no text", async () => {
    await tree.plant({
      dirs: ["/proj/pkg/AGENTS.md"],
      files: {
        "/proj/pkg/CLAUDE.md": { base64: "iVBORw0KGgoAAAANSUhEUg==" },
        "/proj/pkg/.claude/CLAUDE.md": " \n",
      },
    });
    expect(
      tree.told(await tree.memoryAt("/proj").nested({ path: `${tree.root}/proj/pkg/a.ts` })),
    ).toMatchInlineSnapshot(`
      "
      - /proj/pkg/AGENTS.md: is a directory
      - /proj/pkg/CLAUDE.md: is not a text file
      - /proj/pkg/.claude/CLAUDE.md: is empty
      "
    `);
  });

  it("explains exclusions that cannot work, as in a .gitignore", async () => {
    await tree.plant({
      files: {
        "/proj/.claude/rules/a.md": '---\npaths: ["src/**", "!src/gen/**"]\n---\nx',
        "/proj/.claude/rules/b.md": '---\npaths: ["**/*.ts", "!src/gen/**"]\n---\nx',
        "/proj/.claude/rules/c.md": "---\npaths: []\n---\nx",
      },
    });
    expect(tree.told(await tree.memoryAt("/proj").nested({ path: "src/gen/a.ts" }))).toMatchInlineSnapshot(`
      "
      + /proj/.claude/rules/a.md [project] src/gen/a.ts matches src/**; !src/gen/** leaves nothing out here, as its directory matches already
      - /proj/.claude/rules/b.md: src/gen/a.ts is left out by !src/gen/**
      - /proj/.claude/rules/c.md: its paths are an empty list: it matches nothing
      "
    `);
  });
});
