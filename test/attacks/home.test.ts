// Whoever is served by an embedded agent on a machine that is somebody else's: what is in that home must not come out.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionOptions } from "sotto";
import { type ExternalInput, externalInputs } from "sotto/inspect";
import { sessionNotesPath } from "sotto/internal";
import { afterEach, describe, expect, test } from "vitest";
import { type AttackGround, createAttackGround } from "../support/attack-ground.ts";

interface Place {
  /** Which rows of the list of places it stands for. */
  row: keyof typeof externalInputs;
  /** Where the canary goes, and in which form. */
  path(ground: AttackGround): string;
  text?(canary: string): string;
  needs: ExternalInput["needs"];
}

const reminder = (words: string) => `---\non: [session_start]\n---\n${words}\n`;
const user = "trust.user" as const;

const places: Record<string, Place> = {
  "the user's instructions": {
    row: "user_instructions",
    path: ({ home }) => join(home, ".claude/CLAUDE.md"),
    needs: user,
  },
  "the user's rules": {
    row: "user_instructions",
    path: ({ home }) => join(home, ".claude/rules/style.md"),
    needs: user,
  },
  "the user's rules for some paths": {
    row: "user_instructions",
    path: ({ home }) => join(home, ".claude/rules/deep/paths.md"),
    text: (canary) => `---\npaths: "src/**"\n---\n${canary}`,
    needs: user,
  },
  "rules in the config directory": {
    row: "user_instructions",
    path: ({ home }) => join(home, ".config/sotto/rules/house.md"),
    needs: user,
  },
  "AGENTS.md above the project": {
    row: "above_project",
    path: ({ home }) => join(home, "AGENTS.md"),
    needs: user,
  },
  "local instructions above the project": {
    row: "above_project",
    path: ({ home }) => join(home, "src/CLAUDE.local.md"),
    needs: user,
  },
  "rules above the project": {
    row: "above_project",
    path: ({ home }) => join(home, "src/.claude/rules/all.md"),
    needs: user,
  },
  "rules for some paths above the project": {
    row: "above_project",
    path: ({ home }) => join(home, "src/.sotto/rules/some.md"),
    text: (canary) => `---\npaths: "**/*.ts"\n---\n${canary}`,
    needs: user,
  },
  "the user's reminders": {
    row: "user_reminders",
    path: ({ home }) => join(home, ".config/sotto/reminders/own.md"),
    text: reminder,
    needs: user,
  },
  "the user's templates": {
    row: "user_templates",
    path: ({ home }) => join(home, ".config/sotto/templates/project_context.md"),
    needs: user,
  },
  "words of the user's config": {
    row: "user_config",
    path: ({ home }) => join(home, ".config/sotto/config.toml"),
    text: (canary) => `[system_reminder]\ncritical_instruction = "${canary}"\n`,
    needs: user,
  },
  "a file that a prompt mentions by its place in the home": {
    row: "mentioned_files",
    path: ({ home }) => join(home, "notes/mentioned.md"),
    needs: user,
  },
  "a file that a prompt mentions by its whole path": {
    row: "mentioned_files",
    path: ({ outside }) => join(outside, "mentioned.md"),
    needs: user,
  },
  "notes of earlier sessions": {
    row: "session_notes",
    path: ({ home, clone }) =>
      join(sessionNotesPath(join(home, ".local/state/sotto"), clone), "2026-11-14.md"),
    needs: "trust.pastSessions",
  },
};

let ground: AttackGround;
afterEach(() => ground.remove());

describe("AC-57 what is in the home of whoever owns the machine", () => {
  const names = Object.keys(places);
  /** A word of its own in each place. */
  const canaryOf = (name: string) => `CANARY-${names.indexOf(name)}-${"home".repeat(2)}`;
  const came = (leaked: string) => names.filter((name) => leaked.includes(canaryOf(name)));

  test.each([
    ["in a repository", true],
    ["without one", false],
  ])("stays there by default, %s, with config files or without", async (_title, repository) => {
    for (const read of [true, false]) {
      ground = createAttackGround({ repository });
      furnish(ground);
      expect(came(await allThatLeaves(ground, { configFiles: { read } }))).toEqual([]);
      if (!read) continue;
      await ground.remove();
    }
  });

  test("stays there when the whole home is a repository of dotfiles", async () => {
    ground = createAttackGround({ repository: false });
    mkdirSync(join(ground.home, ".git"));
    furnish(ground);
    ground.write(join(ground.home, "sotto.toml"), '[system_reminder]\ncritical_instruction = "DOT-CANARY"\n');
    ground.write(join(ground.home, ".sotto/reminders/dot.md"), reminder("DOT-CANARY"));
    ground.write(join(ground.home, "notes.md"), "DOT-CANARY");
    ground.write("AGENTS.md", "See @../../notes.md and @~/notes.md");
    const leaked = await allThatLeaves(ground, {});
    expect(came(leaked)).toEqual([]);
    expect(leaked).not.toContain("DOT-CANARY");
  });

  test("stays there where the user's own config would widen what a project may import", async () => {
    ground = createAttackGround();
    ground.write(
      join(ground.home, ".config/sotto/config.toml"),
      '[system_reminder]\nsession_memory_dir = "~/diary"\n[system_reminder.memory]\nallow_external_imports = true\n',
    );
    ground.write(join(ground.home, "diary/1.md"), "DIARY-CANARY");
    ground.write(join(ground.home, "diary.md"), "DIARY-CANARY");
    ground.write("AGENTS.md", "Ours. @~/diary.md");
    const leaked = await allThatLeaves(ground, {});
    expect(leaked).toContain("Ours.");
    expect(leaked).not.toContain("DIARY-CANARY");
  });

  test("comes where the host asks for it, each kind by its own word", async () => {
    const asked = async (options: Partial<SessionOptions>) => {
      ground = createAttackGround();
      furnish(ground);
      const leaked = await allThatLeaves(ground, options);
      await ground.remove();
      return came(leaked);
    };
    const needing = (...needs: string[]) => names.filter((name) => needs.includes(places[name]?.needs ?? ""));
    expect(await asked({ trust: { user: true } })).toEqual(needing(user));
    expect(await asked({ trust: { pastSessions: true } })).toEqual(needing("trust.pastSessions"));
    expect(await asked({ trust: { user: true, pastSessions: true } })).toEqual(names);
    // For the hook that removes it.
    ground = createAttackGround();
  });

  test("the user's switches and limits hold without being asked for", async () => {
    ground = createAttackGround();
    ground.write("AGENTS.md", "Never shown.");
    ground.write(
      join(ground.home, ".config/sotto/config.toml"),
      "[system_reminder.attachments]\nproject_context = false\n",
    );
    expect(await allThatLeaves(ground, {})).not.toContain("Never shown.");
  });

  test("every row of the list of places is tried here or has a test of its own, and stands in the guide", () => {
    ground = createAttackGround();
    const elsewhere = ["user_skills", "user_hooks", "managed"];
    const tried = new Set([...Object.values(places).map(({ row }) => row), ...elsewhere]);
    expect([...tried].sort()).toEqual(Object.keys(externalInputs).sort());
    const guide = readFileSync(new URL("../../docs/guide/storage.md", import.meta.url), "utf8");
    for (const { what, where, needs } of Object.values(externalInputs))
      expect(guide).toContain(`| ${what} | ${where} | ${needs === "nothing" ? "" : `\`${needs}\``} |`);
  });

  function furnish({ home, outside }: AttackGround): void {
    for (const [name, { path, text = (words: string) => words }] of Object.entries(places)) {
      const at = path(ground);
      expect(at.startsWith(home) || at.startsWith(outside)).toBe(true);
      ground.write(at, text(canaryOf(name)));
    }
    ground.write("AGENTS.md", "The project's own.");
    ground.write("src/a.ts", "export {};\n");
  }
});

test("what the host says its user typed may name any file", async () => {
  ground = createAttackGround();
  ground.write(join(ground.outside, "mentioned.md"), "from elsewhere");
  const session = ground.open({ trust: undefined });
  const turn = await session.turn({ userPrompt: `Look at @${ground.outside}/mentioned.md` });
  expect(turn.reminders.map(({ text }) => text).join()).toContain("from elsewhere");
});

/** A session of some turns that touches files, with a sub-agent and a fork: all that came out of them. */
async function allThatLeaves(at: AttackGround, options: Partial<SessionOptions>): Promise<string> {
  const session = at.open({ trust: undefined, ...options });
  const source = join(at.clone, "src/a.ts");
  mkdirSync(join(at.clone, "src"), { recursive: true });
  writeFileSync(source, "export {};\n");
  await session.record({ type: "file_read", path: source });
  await at.ask(session, `Look at @src/a.ts, @~/notes/mentioned.md, @${at.outside}/mentioned.md`);
  await session.record({ type: "compacted" });
  await at.ask(session, "Go on.");
  const child = session.subagent({ agentType: "Explore" });
  await child.record({ type: "file_read", path: source });
  await at.ask(child, "Look around.");
  await at.ask(await session.fork(), "Another way.");
  return at.leaked();
}
