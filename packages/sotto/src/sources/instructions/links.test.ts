import { rm, symlink, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { useMemoryTree } from "../../../../../test/support/memory-tree.ts";

const tree = useMemoryTree();

describe("imports", () => {
  it("come in by a shorter way where a longer one was cut off", async () => {
    await tree.plant({
      files: {
        "/proj/CLAUDE.md": "@d1.md @x.md",
        "/proj/d1.md": "@d2.md",
        "/proj/d2.md": "@d3.md",
        "/proj/d3.md": "@x.md",
        "/proj/x.md": "X @y.md",
        "/proj/y.md": "Y @d1.md @me\\ too.md. @gone.md, @docs",
        "/proj/me too.md": "me",
        "/proj/docs/a.md": "a",
      },
    });
    expect(tree.told(await tree.memoryAt("/proj").session())).toMatchInlineSnapshot(`
      "
      + /proj/CLAUDE.md [project] in the working directory
      + /proj/d1.md [project] imported by /proj/CLAUDE.md
      + /proj/d2.md [project] imported by /proj/d1.md
      + /proj/d3.md [project] imported by /proj/d2.md
      + /proj/x.md [project] imported by /proj/d3.md
      + /proj/y.md [project] imported by /proj/x.md
      + /proj/me too.md [project] imported by /proj/y.md
      - /proj/d1.md: loaded already (imported by /proj/y.md)
      - /proj/gone.md: does not exist (imported by /proj/y.md)
      - /proj/docs: is a directory (imported by /proj/y.md)
      "
    `);
  });

  it("of a linked file are looked for beside the link, then beside the file", async () => {
    await tree.plant({
      files: {
        "/proj/shared/CLAUDE.md": "@near.md @far.md",
        "/proj/shared/far.md": "far",
        "/proj/near.md": "near",
      },
      symlinks: { "/proj/CLAUDE.md": "/proj/shared/CLAUDE.md" },
    });
    const { loaded } = await tree.memoryAt("/proj").session();
    expect(loaded.map(({ content }) => content)).toEqual(["@near.md @far.md", "near", "far"]);
  });
});

describe("worktrees", () => {
  it("do not bring the same text again", async () => {
    await tree.plant({
      dirs: ["/repo/.git/worktrees/x"],
      files: {
        "/repo/CLAUDE.md": "same",
        "/repo/src/CLAUDE.md": "main",
        "/repo/CLAUDE.local.md": "only in the main checkout",
        "/repo/trees/x/CLAUDE.md": "same",
        "/repo/trees/x/src/CLAUDE.md": "changed",
      },
    });
    await writeFile(`${tree.root}/repo/trees/x/.git`, `gitdir: ${tree.root}/repo/.git/worktrees/x\n`);
    const inside = await tree.memoryAt("/repo/trees/x").session();
    expect(tree.told(inside)).toMatchInlineSnapshot(`
      "
      + /repo/CLAUDE.local.md [local] in /repo, which holds the working directory
      + /repo/trees/x/CLAUDE.md [project] in the working directory
      - /repo/CLAUDE.md: the worktree has its own version, /repo/trees/x/CLAUDE.md
      "
    `);
    const outside = tree.memoryAt("/repo");
    const loaded = [
      ...(await outside.session()).loaded,
      ...(await outside.nested({ path: "trees/x/src/a.ts" })).loaded,
      ...(await outside.nested({ path: "src/a.ts" })).loaded,
    ];
    expect(loaded.map(({ key, content }) => `${key.slice(tree.root.length)} ${content}`)).toEqual([
      "/repo/CLAUDE.md same",
      "/repo/CLAUDE.local.md only in the main checkout",
      "/repo/CLAUDE.md same",
      "/repo/src/CLAUDE.md changed",
      "/repo/src/CLAUDE.md main",
    ]);
  });

  it("are no matter for submodules", async () => {
    await tree.plant({
      files: { "/repo/sub/.git": "gitdir: ../.git/modules/sub\n", "/repo/sub/CLAUDE.md": "sub" },
    });
    const { loaded } = await tree.memoryAt("/repo").nested({ path: "sub/a.ts" });
    expect(loaded.map(({ key }) => key)).toEqual([`${tree.root}/repo/sub/CLAUDE.md`]);
  });
});

it("follows a working directory that is linked elsewhere", async () => {
  await tree.plant({
    files: { "/one/pkg/CLAUDE.md": "one", "/two/pkg/CLAUDE.md": "two" },
    symlinks: { "/cwd": "/one" },
  });
  const memory = tree.memoryAt("/cwd");
  const contents = async () =>
    (await memory.nested({ path: "pkg/a.ts" })).loaded.map(({ content }) => content);
  expect(await contents()).toEqual(["one"]);
  await rm(`${tree.root}/cwd`);
  await symlink(`${tree.root}/two`, `${tree.root}/cwd`);
  expect(await contents()).toEqual(["two"]);
});
