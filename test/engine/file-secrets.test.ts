// Secrets on disk: whatever is done with the files that hold them, not a byte of them leaves the disk.

import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { anthropicMessages, createSqliteStore, type Session, type Turn } from "sotto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

const CANARY = "CANARY-8d1f";

let world: FileWorld;
let stores: FileWorld;
beforeEach(() => {
  world = createFileWorld();
  stores = createFileWorld();
  world.write("AGENTS.md", "Hello. @private/notes.md @.env @link.txt @config/id_rsa");
  world.write("src/AGENTS.md", "Sources. @../private/AGENTS.md");
  world.write("src/a.ts", "No secret.\n");
  symlinkSync(world.at("private/x.txt"), world.at("link.txt"));
  symlinkSync(world.at(".env"), world.at("settings.txt"));
  plantCanaries("first");
});
afterEach(() => {
  world.remove();
  stores.remove();
});

const HIDDEN = [
  ".env",
  ".env.local",
  "config/id_rsa",
  "private/x.txt",
  "private/notes.md",
  "private/AGENTS.md",
  "private/CLAUDE.local.md",
  "private/.claude/rules/all.md",
  ".claude/rules/denied.md",
];
const NAMES = [...HIDDEN, "link.txt", "settings.txt"];

function plantCanaries(version: string): void {
  for (const path of HIDDEN) world.write(path, `${CANARY}\n${version} ${CANARY}\n`);
}

/** Everything that can be done with them, and what the turns showed. */
async function live(session: Session): Promise<Turn[]> {
  const turns: Turn[] = [];
  const messages: object[] = [];
  const ask = async (userPrompt: string) => {
    messages.push({ role: "user", content: userPrompt });
    const body = { model: "m", max_tokens: 1, messages: [...messages] } as never;
    const turn = await session.turn({ dialect: anthropicMessages, body, userPrompt });
    await turn.commit();
    turns.push(turn);
    messages.push({ role: "assistant", content: "Yes." });
  };
  await ask(
    `Look at ${NAMES.map((name) => `@${name} @${name}#L1-2`).join(" ")} @private @private/.claude @src/a.ts`,
  );
  for (const path of NAMES) {
    const content = `${CANARY} as the host has read it\n`;
    await session.record({ type: "file_read", path, content });
    await session.record({ type: "file_read", path });
    await session.record({ type: "file_read", path, offset: 1, limit: 1 });
    await session.record({ type: "file_written", path, content });
    await session.beforeWrite(path);
    await session.record({ type: "ide_changed", ideName: "Editor", openFile: world.at(path) });
  }
  await session.record({
    type: "tool_finished",
    toolName: "Grep",
    callId: "1",
    success: true,
    durationMs: 1,
    paths: [...NAMES, "src/a.ts"],
  });
  await ask("And now?");
  plantCanaries("second");
  await ask(`Again: ${NAMES.map((name) => `@${name}`).join(" ")}`);
  await session.record({ type: "compacted" });
  await ask("Go on.");
  const child = session.subagent({ agentType: "Explore" });
  plantCanaries("third");
  turns.push(await child.turn({ userPrompt: `Explore @private/x.txt and @.env` }));
  return turns;
}

it("AC-48 not in what is said, nor in the trace, nor in the file the log is kept in", async () => {
  const path = stores.at("sotto.db");
  const store = createSqliteStore({ path });
  const session = openIn(world, {
    store,
    permissions: { denyRead: ["private/", ".claude/rules/denied.md"] },
  });
  const turns = await live(session);
  expect(turns.map(({ problem }) => problem)).toEqual(turns.map(() => undefined));
  // Otherwise nothing would be proved.
  expect(JSON.stringify(turns[0]?.attachments)).toContain("No secret.");
  expect(JSON.stringify(turns[0]?.attachments)).toContain("Sources.");
  expect(JSON.stringify(turns)).not.toContain(CANARY);
  const bytes = () => readdirSync(stores.root).map((name) => readFileSync(join(stores.root, name), "latin1"));
  for (const known of ["No secret.", "Sources."]) expect(bytes().join("")).toContain(known);
  expect(bytes().filter((text) => text.includes(CANARY))).toEqual([]);
  await session.close();
  await store.close();
  expect(bytes().filter((text) => text.includes(CANARY))).toEqual([]);
});
