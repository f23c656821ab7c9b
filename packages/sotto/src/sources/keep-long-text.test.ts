import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSession, type SessionEvent } from "sotto";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { keepLongText } from "./keep-long-text.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "sotto-words-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
});

const place = () => ({ stateDirectory: join(home, ".local/state/sotto"), sessionId: "one" });

describe("a text that is kept", () => {
  it("is in a file of its user alone, the same one however often it is told", async () => {
    const path = await keepLongText(place(), "words");
    expect(readFileSync(path, "utf8")).toBe("words");
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await keepLongText(place(), "words")).toBe(path);
  });

  it("is never written through a link", async () => {
    const path = await keepLongText(place(), "words");
    const target = join(home, "target");
    writeFileSync(target, "mine");
    rmSync(path);
    symlinkSync(target, path);
    await keepLongText(place(), "words");
    expect([readFileSync(target, "utf8"), readFileSync(path, "utf8")]).toEqual(["mine", "words"]);
    rmSync(dirname(path), { recursive: true });
    mkdirSync(join(home, "elsewhere"));
    symlinkSync(join(home, "elsewhere"), dirname(path));
    await expect(keepLongText(place(), "words")).rejects.toThrow("is reached through a link");
  });

  it.each(["../../etc", "..", "a/b", ".hidden"])(
    "stays below its directory: session %s",
    async (sessionId) => {
      const path = await keepLongText({ ...place(), sessionId }, "words");
      expect(dirname(dirname(path))).toBe(join(home, ".local/state/sotto/words"));
    },
  );
});

describe("what no single request could hold", () => {
  const long = "It is long. ".repeat(50_000);
  const events: SessionEvent[] = [
    { type: "prompt_queued", id: "p1", prompt: long },
    { type: "message_received", id: "m1", from: "ada", text: long, timestamp: "2026-11-15T10:00:00Z" },
    {
      type: "hook_finished",
      hookName: "check",
      hookEvent: "PostToolUse",
      outcome: "success",
      async: false,
      additionalContext: long.trim(),
    },
    { type: "ultramemory_changed", content: long },
  ];
  const open = (tools?: string[]) =>
    createSession({
      ...{
        cwd: home,
        home,
        agent: { kind: "main" },
        configFiles: { read: false },
        config: { timeout_ms: 60_000 },
      },
      ...(tools === undefined ? {} : { tools }),
    });

  it.each(events)("$type comes with its beginning and the path of the whole", async (event) => {
    const session = open();
    await session.record(event);
    const heard: string[] = [];
    for (let turn = 0; turn < 10; turn++) {
      const next = await session.turn();
      heard.push(...next.reminders.map(({ text }) => text));
      await next.commit();
    }
    const path = /all of it is in the file ([^\s"]+\.txt)/u.exec(heard.join("\n"))?.[1];
    expect(readFileSync(path as string, "utf8")).toBe(
      long.slice(0, event.type === "hook_finished" ? -1 : undefined),
    );
    expect(heard.join("").match(/long\./gu)?.length).toBe(1666);
    await session.close();
  });

  it("comes in parts, all of it, where the agent has nothing to read a file with", async () => {
    const session = open(["look_up_order"]);
    await session.record({ type: "prompt_queued", id: "p1", prompt: long });
    const heard: string[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const next = await session.turn();
      heard.push(...next.reminders.map(({ text }) => text));
      await next.commit();
    }
    expect(heard.join("").match(/long\./gu)?.length).toBe(50_000);
    await session.close();
  });
});
