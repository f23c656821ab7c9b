// Whoever writes files that the agent reads, mentions or watches: secrets and denied files stay where they are, by
// whatever name they are reached, and nothing that is no ordinary file holds up a turn.

import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "sotto";
import { instructionsFor, mentionsIn, skillsFor } from "sotto/inspect";
import { readMarkdownFiles } from "sotto/internal";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AttackGround, CANARY, createAttackGround } from "../support/attack-ground.ts";
import { outcomeOf, says } from "../support/telling.ts";

let ground: AttackGround;
beforeEach(() => {
  ground = createAttackGround();
  ground.write("src/a.ts", "export const known = 1;\n");
});
afterEach(() => ground.remove());

/** Every way to speak of a file. */
async function speakOf(session: Session, paths: readonly string[], change: () => void): Promise<void> {
  const mentions = paths.map((path) => `@"${path}" @"${path}#L1-2"`).join(" ");
  await ground.ask(session, `See ${mentions} @src/a.ts`);
  for (const path of paths) {
    const content = `${CANARY} as the host has read it\n`;
    await session.record({ type: "file_read", path, content });
    await session.record({ type: "file_written", path, content });
    await session.beforeWrite(path);
    const selection = { filename: path, lineStart: 1, lineEnd: 1, content: CANARY };
    await session.record({ type: "ide_changed", ideName: "Editor", openFile: path, selection });
    const diagnostics = [{ message: `unexpected ${CANARY}`, severity: "Error" as const, line: 1 }];
    for (const origin of ["host", "lsp"] as const)
      await session.record({ type: "diagnostics_published", origin, filePath: path, diagnostics });
    await ground.ask(session, "And now?");
  }
  change();
  await ground.ask(session, "And after the change?");
  await session.record({ type: "compacted" });
  await ground.ask(session, `Once more: ${mentions}`);
}

/** Members of the family, one or more for each kind of tool. */
const SECRETS = [
  ".env.production",
  ".codex/auth.json",
  ".gemini/oauth_creds.json",
  "token.json",
  "client_secret_42.apps.googleusercontent.com.json",
  "prod.auto.tfvars",
  ".bash_history",
  ".aws/credentials",
  ".config/gcloud/access_tokens.db",
  ".cargo/credentials.toml",
  ".m2/settings.xml",
  "deploy/id_ed25519",
];

describe("AC-48 secret files", () => {
  it.each(SECRETS)("%s is not shown, whoever names it and by whatever name", async (name) => {
    const { write, link, hardLink, clone } = ground;
    const text = `${CANARY}\nfirst\n`;
    write(name, text);
    link("link.txt", join(clone, name));
    hardLink("notes.md", join(clone, name));
    write("AGENTS.md", `Known. @${name} @link.txt @notes.md`);
    link("src/AGENTS.md", join(clone, name));
    hardLink("src/CLAUDE.md", join(clone, name));
    hardLink(".claude/rules/r.md", join(clone, name));
    hardLink(".sotto/reminders/r.md", join(clone, name));
    hardLink(".claude/plans/p.md", join(clone, name));
    const session = ground.open();
    await session.record({ type: "mode_changed", mode: "plan", planFilePath: ".claude/plans/p.md" });
    await speakOf(session, [name, "link.txt", "notes.md"], () => write(name, `${CANARY}\nsecond\n`));
    const leaked = await ground.leaked();
    expect(leaked).toContain("known = 1");
    expect(leaked).not.toContain(CANARY);
  });

  it.each([".ssh/id_work", ".netrc", ".aws/credentials", ".codex/auth.json", ".config/gh/hosts.yml"])(
    "a hard link in the project to ~/%s is that file",
    async (name) => {
      const { home, write, hardLink } = ground;
      hardLink("AGENTS.md", write(join(home, name), `${CANARY}\n`));
      hardLink("notes.md", join(home, name));
      await speakOf(ground.open(), ["notes.md"], () => undefined);
      expect(await ground.leaked()).not.toContain(CANARY);
    },
  );
});

describe("AC-48 denied files", () => {
  const permissions = () => ({ denyRead: ["private/", "**/*.hidden", join(ground.outside, "vault/**")] });

  it("stay denied through links, hard links and names in other directories", async () => {
    const { clone, outside, write, link, hardLink } = ground;
    write("private/x.txt", `${CANARY}\n`);
    write("deep/y.hidden", `${CANARY}\n`);
    write(join(outside, "vault/z.txt"), `${CANARY}\n`);
    link("way", join(clone, "private"));
    link("file.txt", join(clone, "private/x.txt"));
    hardLink("hard.txt", join(clone, "private/x.txt"));
    hardLink("hard2.txt", join(clone, "deep/y.hidden"));
    hardLink("hard3.txt", join(outside, "vault/z.txt"));
    hardLink("AGENTS.md", join(clone, "private/x.txt"));
    hardLink("src/AGENTS.md", join(clone, "deep/y.hidden"));
    const names = [
      "private/x.txt",
      "way/x.txt",
      "file.txt",
      "hard.txt",
      "hard2.txt",
      "hard3.txt",
      "deep/y.hidden",
    ];
    const session = ground.open({ permissions: permissions() });
    await speakOf(session, names, () => write("private/x.txt", `second ${CANARY}\n`));
    await ground.ask(session, "List @private and @way and @deep");
    const leaked = await ground.leaked();
    expect(leaked).toContain("known = 1");
    expect(leaked).not.toContain(CANARY);
  });

  it("a link that is made while the session runs is found out", async () => {
    const { clone, write, hardLink } = ground;
    write("private/x.txt", `${CANARY}\n`);
    write("notes.txt", "ordinary\n");
    const session = ground.open({ permissions: permissions() });
    await session.record({ type: "file_read", path: "notes.txt" });
    await ground.ask(session, "See @notes.txt");
    rmSync(join(clone, "notes.txt"));
    hardLink("notes.txt", join(clone, "private/x.txt"));
    await ground.ask(session, "And now? @notes.txt");
    rmSync(join(clone, "notes.txt"));
    write("other.hidden", `${CANARY}\n`);
    hardLink("notes.txt", join(clone, "other.hidden"));
    await ground.ask(session, "And now? @notes.txt");
    expect(await ground.leaked()).not.toContain(CANARY);
  });

  it("an ordinary file with two names is shown", async () => {
    const { clone, write, hardLink } = ground;
    write("one.txt", "two names, no secret\n");
    hardLink("two.txt", join(clone, "one.txt"));
    const turn = await ground.ask(ground.open({ permissions: permissions() }), "See @two.txt");
    expect(JSON.stringify(turn.body)).toContain("two names, no secret");
  });

  it("diagnostics about them are not told, and the trace says why; others are", async () => {
    const { write } = ground;
    write("private/x.ts", "x\n");
    write(".env", `KEY=${CANARY}\n`);
    const session = ground.open({ permissions: permissions() });
    const publish = (filePath: string, message: string) =>
      session.record({
        type: "diagnostics_published",
        origin: "host",
        filePath,
        diagnostics: [{ message, severity: "Error", line: 1 }],
      });
    await publish("private/x.ts", CANARY);
    await publish(".env", CANARY);
    const silent = await ground.ask(session, "Hello.");
    expect(says(silent, "diagnostics")).toBe(false);
    expect(outcomeOf(silent, "diagnostics")).toContain(
      "private/x.ts are not shown: it may not be read: private/",
    );
    expect(outcomeOf(silent, "diagnostics")).toContain(".env are not shown: it may contain secrets");
    await publish("src/a.ts", "known is never read");
    expect(says(await ground.ask(session, "And now?"), "diagnostics")).toBe(true);
    expect(await ground.leaked()).not.toContain(CANARY);
  });
});

describe("AC-45 what is no ordinary file", () => {
  /** Everywhere a file is read unasked. */
  const PLACES = [
    "AGENTS.md",
    "src/CLAUDE.md",
    ".claude/rules/r.md",
    ".sotto/reminders/r.md",
    ".sotto/templates/memory.md",
    ".claude/session-memory/n.md",
    ".claude/plans/p.md",
    ".claude/todos/odd.json",
    ".claude/skills/s/SKILL.md",
    ".claude/agents/a.md",
    "sotto.toml",
    ".sotto/hooks.json",
    ".mcp.json",
    "odd.txt",
  ];
  const KINDS: Record<string, (path: string) => void> = {
    "a pipe that nobody writes to": (path) => void execFileSync("mkfifo", [path]),
    "a link to /dev/zero": (path) => ground.link(path, "/dev/zero"),
    "a link to itself": (path) => ground.link(path, path),
    "a link to /proc/self/environ": (path) => ground.link(path, "/proc/self/environ"),
    "a file of 8 GB with holes": (path) => {
      ground.write(path, CANARY.slice(0, 3));
      truncateSync(path, 8 * 1024 ** 3);
    },
  };

  it.each(Object.entries(KINDS))("%s holds nothing up", async (_, make) => {
    for (const path of PLACES) {
      mkdirSync(join(ground.clone, path, ".."), { recursive: true });
      make(join(ground.clone, path));
    }
    const { clone: cwd, home } = ground;
    const before = process.memoryUsage().rss;
    const session = ground.open({ id: "odd" });
    await session.record({ type: "mode_changed", mode: "plan", planFilePath: ".claude/plans/p.md" });
    await session.record({ type: "file_read", path: "odd.txt" });
    const turn = await ground.ask(session, "See @odd.txt @src/a.ts");
    expect(JSON.stringify(turn.body)).toContain("known = 1");
    expect(turn.problem).toBeUndefined();
    await instructionsFor({ cwd, home });
    await skillsFor({ cwd, home });
    await mentionsIn({ cwd, home, prompt: "@odd.txt" });
    expect((await readMarkdownFiles({ cwd, home, directory: ".claude/agents" })).files).toEqual([]);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 ** 2);
  });

  it("a file that becomes a pipe while it is tracked is as good as gone", async () => {
    const { clone } = ground;
    const session = ground.open();
    await session.record({ type: "file_read", path: "src/a.ts" });
    await ground.ask(session, "Hello.");
    renameSync(join(clone, "src/a.ts"), join(clone, "src/b.ts"));
    execFileSync("mkfifo", [join(clone, "src/a.ts")]);
    const turn = await ground.ask(session, "And now?");
    expect(turn.problem).toBeUndefined();
  });
});
