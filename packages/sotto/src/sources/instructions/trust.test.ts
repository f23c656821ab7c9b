import { describe, expect, it } from "vitest";
import { realMemoryFiles } from "../../../../../test/support/memory-files.ts";
import { ruleFor, useMemoryTree } from "../../../../../test/support/memory-tree.ts";
import type { MemoryFiles } from "./types.ts";

const tree = useMemoryTree();

describe("trust", () => {
  /** As if another user owned these. */
  function ownedByOther(files: MemoryFiles, ...paths: string[]): MemoryFiles {
    return {
      ...files,
      async signatures(asked) {
        const signatures = await files.signatures(asked);
        const other = (path: string) => paths.includes(path.slice(tree.root.length));
        return signatures.map(
          (one, index) => one && { ...one, uid: other(asked[index] as string) ? 1001 : 1000 },
        );
      },
    };
  }

  it("does not read another user's files above the repository", async () => {
    await tree.plant({
      dirs: ["/shared/repo/.git"],
      files: {
        "/shared/CLAUDE.md": "planted",
        "/shared/.claude/rules/r.md": ruleFor("**", "planted"),
        "/shared/repo/CLAUDE.md": "ours",
        "/shared/repo/.claude/rules/r.md": ruleFor("**", "ours"),
      },
    });
    const files = ownedByOther(realMemoryFiles(), "/shared", "/shared/repo/CLAUDE.md");
    const memory = tree.memoryAt("/shared/repo", {}, { files, uid: 1000 });
    expect(tree.told(await memory.session())).toMatchInlineSnapshot(`
      "
      + /shared/repo/CLAUDE.md [project] in the working directory
      - /shared/repo/.claude/rules/r.md: waits for a path that matches **
      - /shared/CLAUDE.md: its directory /shared belongs to another user: above the repository /shared/repo only your own files are trusted
      - /shared/.claude/rules/r.md: its directory /shared belongs to another user: above the repository /shared/repo only your own files are trusted
      "
    `);
    expect(tree.told(await memory.nested({ path: "a.ts" }))).toMatchInlineSnapshot(`
      "
      + /shared/repo/.claude/rules/r.md [project] a.ts matches **
      - /shared/.claude/rules/r.md: its directory /shared belongs to another user: above the repository /shared/repo only your own files are trusted
      "
    `);
    const one = tree.memoryAt(
      "/shared/repo",
      {},
      { files: ownedByOther(realMemoryFiles(), "/shared/CLAUDE.md"), uid: 1000 },
    );
    expect((await one.session()).loaded.map(({ content }) => content)).toEqual(["ours"]);
  });

  it("lets only the user's files, or the user's config, reach outside the project", async () => {
    await tree.plant({
      dirs: ["/place/repo/.git"],
      files: {
        "/home/dev/.claude/CLAUDE.md": "@~/notes.md @/ABSOLUTE/x.md".replace(
          "/ABSOLUTE",
          `${tree.root}/outside`,
        ),
        "/home/dev/notes.md": "notes",
        "/outside/x.md": "x",
        "/outside/y.md": "y",
        "/managed/m.md": "@./other.txt",
        "/managed/other.txt": "other",
        "/place/notes.md": "above",
        "/place/repo/shared.md": "shared",
        "/place/repo/app/CLAUDE.md": `@../shared.md @../../notes.md @~/notes.md @${tree.root}/outside/x.md @${tree.root}/place/repo/abs.md @link.md`,
        "/place/repo/abs.md": "absolute, but inside",
      },
      symlinks: { "/place/repo/app/link.md": "/outside/y.md" },
    });
    expect(tree.told(await tree.memoryAt("/place/repo/app").session())).toMatchInlineSnapshot(`
      "
      + /managed/m.md [managed] managed rule without paths
      + /home/dev/.claude/CLAUDE.md [user] the user's instructions for all projects
      + /home/dev/notes.md [user] imported by /home/dev/.claude/CLAUDE.md
      + /outside/x.md [user] imported by /home/dev/.claude/CLAUDE.md
      + /place/repo/app/CLAUDE.md [project] in the working directory
      + /place/repo/shared.md [project] imported by /place/repo/app/CLAUDE.md
      + /place/repo/abs.md [project] imported by /place/repo/app/CLAUDE.md
      - /managed/other.txt: outside the project (only the user's own files, or allow_external_imports, reach there): /place/repo (imported by /managed/m.md)
      - /place/notes.md: outside the project (only the user's own files, or allow_external_imports, reach there): /place/repo (imported by /place/repo/app/CLAUDE.md)
      - /home/dev/notes.md: outside the project (only the user's own files, or allow_external_imports, reach there): /place/repo (imported by /place/repo/app/CLAUDE.md)
      - /outside/x.md: outside the project (only the user's own files, or allow_external_imports, reach there): /place/repo (imported by /place/repo/app/CLAUDE.md)
      - /place/repo/app/link.md: a link to outside the project (only the user's own files, or allow_external_imports, reach there): /place/repo (imported by /place/repo/app/CLAUDE.md)
      "
    `);
    const { loaded } = await tree
      .memoryAt("/place/repo/app", {
        allowExternalImports: true,
        userSettings: false,
      })
      .session();
    expect(loaded.map(({ path }) => path.slice(tree.root.length))).toEqual([
      "/managed/m.md",
      "/managed/other.txt",
      "/place/repo/app/CLAUDE.md",
      "/place/repo/shared.md",
      "/place/notes.md",
      "/home/dev/notes.md",
      "/outside/x.md",
      "/place/repo/abs.md",
      "/place/repo/app/link.md",
    ]);
  });
});
