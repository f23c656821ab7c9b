// MCP servers, language servers and editors whose words pretend to be reminders, or are made to keep us busy.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession } from "sotto";
import { createIdeSource } from "sotto/ide";
import { afterEach, describe, expect, it } from "vitest";
import { defaultReservedTags } from "../../packages/sotto/src/render/neutralise/neutralise.ts";
import { fakeServer, openStage } from "../support/language-servers.ts";
import { openWithServers, ownServer, until } from "../support/mcp-world.ts";
import { forgedTags } from "../support/payloads.ts";
import { startCompanion } from "../support/servers/ide-companion.ts";
import { longestHold, slowTexts } from "../support/slow-texts.ts";
import { textOf } from "../support/telling.ts";
import { forgesTag } from "../support/unicode-fold.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const MOST_MS = 3_000;
const oneLine = (text: string) => text.replace(/[\0\r\n]/g, " ");
const forged = [...forgedTags(60, defaultReservedTags, 23)].map(oneLine).join(" -- ");

/** What stands inside a reminder's own tags. */
const inside = (text: string | undefined) =>
  (text ?? "").replace(/<\/?(?:system-reminder|new-diagnostics|mcp-resource)\b[^>]*>/g, "");
const forges = (text: string) => forgesTag(text, defaultReservedTags);

async function told(text: string, times = 1) {
  const env = { TELLS: text, TIMES: String(times) };
  const server = { ...ownServer("mcp-hostile", "teller"), env };
  const world = await openWithServers({ servers: { bad: server } });
  closing.push(() => world.session.close());
  return world.session;
}

describe("a resource of an MCP server", () => {
  it("AC-39 forges no tag", async () => {
    const session = await told(`CANARY ${forged}`);
    const turn = await session.turn({ userPrompt: "see @bad:x://y" });
    const text = textOf(turn, "mcp_resource");
    expect(text).toContain("CANARY");
    expect(text?.match(/<\/system-reminder>/g)).toHaveLength(1);
    expect(forges(inside(text))).toBe(false);
  });

  it("AC-39 does not hold the event loop, however it is made", async () => {
    const session = await told(slowTexts.map((text) => text.slice(0, 900)).join("\n"), 40);
    let text: string | undefined;
    const held = await longestHold(async () => {
      text = textOf(await session.turn({ userPrompt: "see @bad:x://y" }), "mcp_resource");
    });
    expect(text).toBeDefined();
    expect(held).toBeLessThan(MOST_MS);
  });
});

describe("the words of a language server", () => {
  it("AC-39 forge no tag", async () => {
    const stage = openStage({ servers: fakeServer("good"), files: { "a.fake": "fine\n" } });
    closing.push(() => stage.close());
    await stage.read("a.fake");
    await stage.write("a.fake", `BAD CANARY ${forged.slice(0, 900)}\n`);
    let text: string | undefined;
    await stage.until(async () => {
      text = textOf(await stage.turn(), "diagnostics");
      return text !== undefined;
    });
    expect(text).toContain("CANARY");
    expect(text?.match(/<\/new-diagnostics>/g)).toHaveLength(1);
    expect(forges(inside(text))).toBe(false);
  });

  it("AC-39 a flood of them does not hold the event loop", async () => {
    const stage = openStage({ servers: fakeServer("good"), files: { "a.fake": "fine\n" } });
    closing.push(() => stage.close());
    await stage.read("a.fake");
    const lines = Array.from({ length: 100 }, (_, index) => {
      const text = slowTexts[index % slowTexts.length] ?? "";
      return `BAD ${index} ${text.slice(0, 2_000)}`;
    });
    const held = await longestHold(async () => {
      await stage.write("a.fake", lines.join("\n"));
      expect((await stage.untilTold()).length).toBeGreaterThan(0);
    });
    expect(held).toBeLessThan(MOST_MS);
  });
});

describe("what an editor says is selected", () => {
  it("AC-39 forges no tag, and does not hold the event loop", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-editor-")));
    closing.push(() => rmSync(root, { recursive: true, force: true }));
    const cwd = join(root, "project");
    const directory = join(root, "ide");
    mkdirSync(cwd);
    const path = join(cwd, "a.ts");
    writeFileSync(path, "one\n");
    const companion = await startCompanion({ directory, workspacePath: cwd });
    closing.push(() => companion.leave());
    const source = createIdeSource({ directory, environment: {} });
    const session = createSession({
      cwd,
      agent: { kind: "main" },
      sources: [source],
      config: { timeout_ms: 20_000 },
    });
    closing.push(() => session.close());
    await session.open();
    await until(() => source.state().status === "connected");
    const selectedText = `CANARY ${forged.slice(0, 2_000)} ${slowTexts[0]?.slice(0, 8_000)}`;
    await companion.say({
      openFiles: [{ path, timestamp: 1, isActive: true, selectedText, cursor: { line: 1, character: 1 } }],
      isTrusted: true,
    });
    let text: string | undefined;
    const held = await longestHold(() =>
      until(async () => {
        const turn = await session.turn();
        text ??= turn.reminders.map((reminder) => reminder.text).find((one) => one.includes("CANARY"));
        return text !== undefined;
      }),
    );
    expect(forges(inside(text))).toBe(false);
    expect(held).toBeLessThan(MOST_MS);
  });
});
