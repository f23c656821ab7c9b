// Files that change behind the agent's back, on a real file system: every example case, and the rules one by one.

import { linkSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { createMemoryStore } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import cases from "../support/cases/changes.json" with { type: "json" };
import {
  type ChangeStep,
  changesIn,
  changeWorld,
  createFileWorld,
  type FileWorld,
  openIn,
} from "../support/file-world.ts";
import { runs } from "../support/runs.ts";
import { answered, outcomeOf, textOf } from "../support/telling.ts";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => world.remove());

interface Expected {
  turn: number;
  changed: string[];
}

/** What each turn of a case reports as changed, and as deleted. */
async function play(steps: readonly ChangeStep[]) {
  const session = openIn(world);
  const told: { changed: string[]; deleted: string[] }[] = [];
  for (const step of steps) {
    const path = step.path ?? "";
    if (step.op === "read") await session.record({ type: "file_read", path });
    else if (step.op === "readPartial")
      await session.record({ type: "file_read", path, offset: step.offset ?? 1, limit: step.limit ?? 1 });
    else if (step.op === "edit_by_agent") {
      world.write(path, step.content ?? "");
      await session.record({ type: "file_written", path });
    } else if (step.op === "turn") {
      const turn = await session.turn();
      await turn.commit();
      const found = changesIn(turn, world);
      told.push({ changed: found.edited_text_file ?? [], deleted: found.deleted_file ?? [] });
    } else expect(changeWorld(world, step), `step ${step.op}`).toBe(true);
  }
  await session.close();
  return told;
}

describe("AC-12 example cases", () => {
  for (const { id, topic, steps, expect: expected, verdict, alsoAccept = [] } of cases.cases)
    it(`${id} ${topic}`, async () => {
      const told = (await play(steps as ChangeStep[])).map(({ changed }, index) => ({
        turn: index + 1,
        changed,
      }));
      const outcomes = [expected, ...alsoAccept].map((outcome) =>
        (outcome as Expected[]).map(({ turn, changed }) => ({ turn, changed })),
      );
      if (verdict === "must") expect(told).toEqual(outcomes[0]);
      else expect(outcomes).toContainEqual(told);
    });
});

describe("a file that was read", () => {
  const read = async (content = "one\ntwo\nthree\n") => {
    world.write("src/a.ts", content);
    const session = openIn(world);
    await session.record({ type: "file_read", path: "src/a.ts" });
    return session;
  };

  it("AC-24 carries a line-numbered diff when it changes, and is told once", async () => {
    const session = await read();
    world.write("src/a.ts", "one\n2\nthree\n");
    const turn = await session.turn();
    expect(textOf(turn, "edited_text_file")).toBe(
      `<system-reminder>
Note: ${world.at("src/a.ts")} was modified outside this conversation. Build on it as it is now, and do not undo it unless you are asked to. What changed:
   1   one
   2 - two
   2 + 2
   3   three
</system-reminder>`,
    );
    await turn.commit();
    const next = await session.turn();
    expect(next.reminders).toEqual([]);
    expect(outcomeOf(next, "edited_text_file")).toBe(
      "nothing: the content of none of the files read (1) has changed",
    );
  });

  it("has the same content with a byte order mark", async () => {
    const session = await read();
    world.write("src/a.ts", "\uFEFFone\ntwo\nthree\n");
    const reason = "nothing: the content of none of the files read (1) has changed";
    expect(outcomeOf(await session.turn(), "edited_text_file")).toBe(reason);
  });

  it("AC-12 that is not UTF-8 says that bytes may differ which cannot be shown", async () => {
    const versions = ["caf\xe9\none\n", "caf\xe8\none\n", "caf\xe9\ntwo\n"];
    const put = (text: string) => writeFileSync(world.at("a.txt"), Buffer.from(text, "latin1"));
    put(versions[0] as string);
    const session = openIn(world);
    await session.record({ type: "file_read", path: "a.txt" });
    const told: string[] = [];
    for (const version of versions.slice(1)) {
      put(version);
      told.push(String(textOf(await answered(session), "edited_text_file")));
    }
    expect(told).toEqual([
      expect.stringContaining(
        "\nIt is not UTF-8 text, and what differs are bytes that are all shown as \ufffd; read",
      ),
      expect.stringMatching(/\n {3}2 \+ two.*\n\(It is not UTF-8 text: lines may differ in bytes/su),
    ]);
    await session.close();
  });

  it("AC-12 is told again, with what is new only, when it changes again", async () => {
    const session = await read();
    world.write("src/a.ts", "one\n2\nthree\n");
    await (await session.turn()).commit();
    world.write("src/a.ts", "one\n2\n3\n");
    const turn = await session.turn();
    expect(textOf(turn, "edited_text_file")).toContain("   2   2\n   3 - three\n   3 + 3\n");
  });

  it("AC-24 is shown with as many lines as `max_diff_lines` allows, and says how many there are more", async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    world.write("a.ts", lines.join("\n"));
    const config = { attachments: { changed_files: { max_diff_lines: 10 } } };
    const [short, whole] = [openIn(world, { config }), openIn(world)];
    for (const session of [short, whole]) await session.record({ type: "file_read", path: "a.ts" });
    world.write("a.ts", lines.map((line, index) => (index % 3 === 0 ? `${line}!` : line)).join("\n"));
    const told = await Promise.all(
      [short, whole].map(async (session) => textOf(await session.turn(), "edited_text_file")),
    );
    const shown = told.map(
      (text) => (text ?? "").split("\n").filter((line) => /^ *\d+ [ +-] /u.test(line)).length,
    );
    expect(shown).toEqual([10, 54]);
    expect(told[0]).toContain("\n… 22 more changed lines (11 added, 11 removed): read lines 10-40.\n");
  });

  it("AC-12 builds on a notice that is on its way", async () => {
    const session = await read();
    world.write("src/a.ts", "one\n2\nthree\n");
    await session.turn();
    world.write("src/a.ts", "one\n2\n3\n");
    const turn = await session.turn();
    expect(turn.reminders.map(({ text }) => text.includes("- two"))).toEqual([true, false]);
    expect(turn.reminders.at(-1)?.text).toContain("- three");
  });

  it("AC-12 is not told of when it is as it was before anything was said", async () => {
    const session = await read();
    world.write("src/a.ts", "one\n2\nthree\n");
    const lost = await session.turn();
    await lost.abandon();
    world.write("src/a.ts", "one\ntwo\nthree\n");
    const turn = await session.turn();
    expect(turn.reminders).toEqual([]);
    expect(outcomeOf(turn, "edited_text_file")).toContain("superseded: ");
  });

  it("AC-12 is told of once when it is gone, and as a change when it is back", async () => {
    const session = await read();
    changeWorld(world, { op: "delete", path: "src/a.ts" });
    const turn = await session.turn();
    expect(changesIn(turn, world)).toEqual({ deleted_file: ["src/a.ts"] });
    await turn.commit();
    expect((await session.turn()).reminders).toEqual([]);
    world.write("src/a.ts", "back\n");
    expect(textOf(await session.turn(), "edited_text_file")).toContain("It is there again, with 1 line");
  });

  it("AC-12 is told of by the path it was read under, also through a link", async () => {
    world.write("real/a.ts", "one\n");
    changeWorld(world, { op: "symlink", path: "link", target: world.at("real") });
    const session = openIn(world);
    await session.record({ type: "file_read", path: "link/a.ts" });
    world.write("real/a.ts", "two\n");
    expect(changesIn(await session.turn(), world)).toEqual({ edited_text_file: ["link/a.ts"] });
  });

  it("AC-13 in part is never told of, and leaves an earlier whole read in force", async () => {
    world.write("b.ts", "one\ntwo\n");
    const session = await read();
    await session.record({ type: "file_read", path: "b.ts", offset: 1, limit: 1 });
    await session.record({ type: "file_read", path: "src/a.ts", offset: 1, limit: 1 });
    world.write("b.ts", "1\n2\n");
    world.write("src/a.ts", "changed\n");
    expect(changesIn(await session.turn(), world)).toEqual({ edited_text_file: ["src/a.ts"] });
  });

  it("AC-14 and written by the agent's own tools is not told of", async () => {
    const session = await read();
    world.write("src/a.ts", "mine\n");
    await session.record({ type: "file_written", path: "src/a.ts", content: "mine\n" });
    world.write("src/a.ts", "mine;\n");
    await session.record({ type: "file_written", path: "src/a.ts", cause: "tool Edit" });
    expect((await session.turn()).reminders).toEqual([]);
    changeWorld(world, { op: "delete", path: "src/a.ts" });
    await session.record({ type: "file_removed", path: "src/a.ts" });
    expect((await session.turn()).reminders).toEqual([]);
  });

  it("AC-12 and changed between the agent's read and the record of it is told of", async () => {
    world.write("src/a.ts", "newer\n");
    const session = openIn(world);
    await session.record({ type: "file_read", path: "src/a.ts", content: "older\n" });
    expect(textOf(await session.turn(), "edited_text_file")).toContain("   1 - older\n   1 + newer\n");
  });

  it("AC-12 and changed by a task names it", async () => {
    const session = await read();
    world.write("src/a.ts", "generated\n");
    await session.record({ type: "file_written", path: "src/a.ts", cause: "task b1" });
    expect(textOf(await session.turn(), "edited_text_file")).toContain("was modified by task b1.");
  });

  it("AC-11 is known to a sub-agent, which is told of changes on its own", async () => {
    const session = await read();
    const child = session.subagent({ agentType: "Explore" });
    await child.turn();
    world.write("src/a.ts", "changed\n");
    expect(changesIn(await child.turn(), world)).toEqual({ edited_text_file: ["src/a.ts"] });
    expect(changesIn(await session.turn(), world)).toEqual({ edited_text_file: ["src/a.ts"] });
    await session.close();
  });

  it("AC-12 is told of in the first turn of another process that goes on with the session", async () => {
    const { createMemoryStore } = await import("sotto");
    const store = createMemoryStore();
    world.write("src/a.ts", "one\n");
    const first = openIn(world, { id: "s", store });
    await first.record({ type: "file_read", path: "src/a.ts" });
    await first.close();
    world.write("src/a.ts", "two\n");
    expect(changesIn(await openIn(world, { id: "s", store }).turn(), world)).toEqual({
      edited_text_file: ["src/a.ts"],
    });
  });

  it("AC-40 is told of with the right lines after going back to before it was read again", async () => {
    const session = await read();
    await (await session.turn()).commit();
    await (await session.turn()).commit();
    world.write("src/a.ts", "one\n2\nthree\n");
    await session.record({ type: "file_read", path: "src/a.ts" });
    world.write("src/a.ts", "one\n2\n3\n");
    await (await session.turn()).commit();
    await session.record({ type: "rewound", toTurn: 1 });
    expect(textOf(await session.turn(), "edited_text_file")).toContain(
      "   2 - two\n   3 - three\n   2 + 2\n   3 + 3\n",
    );
  });

  it("AC-48 and may not be read, or looks secret, shows nothing of its content", async () => {
    world.write("secret/key.txt", "canary-0001\n");
    world.write(".env", "TOKEN=canary-0002\n");
    const session = openIn(world, { permissions: { denyRead: ["secret/**"] } });
    await session.record({ type: "file_read", path: "secret/key.txt", content: "canary-0001\n" });
    await session.record({ type: "file_read", path: ".env", content: "TOKEN=canary-0002\n" });
    world.write("secret/key.txt", "canary-0003\n");
    world.write(".env", "TOKEN=canary-0004\n");
    const turn = await session.turn();
    expect(changesIn(turn, world)).toEqual({ edited_text_file: [".env"] });
    expect(JSON.stringify(turn)).not.toContain("canary");
    expect(textOf(turn, "edited_text_file")).toContain("may contain secrets");
  });

  it("AC-12 that is an image is noted and nothing is said, unless the host wants it sent", async () => {
    const pixel = readFileSync(new URL("../support/cases/pixel.png", import.meta.url));
    changeWorld(world, { op: "setup", path: "a.png" });
    const { writeFileSync } = await import("node:fs");
    writeFileSync(world.at("a.png"), pixel);
    const quiet = openIn(world);
    const loud = openIn(world, { config: { attachments: { edited_image_file: { send: true } } } });
    for (const session of [quiet, loud]) await session.record({ type: "file_read", path: "a.png" });
    writeFileSync(world.at("a.png"), Buffer.concat([pixel, Buffer.from("\n")]));
    const turn = await quiet.turn();
    expect([changesIn(turn, world), turn.reminders]).toEqual([{ edited_image_file: ["a.png"] }, []]);
    await turn.commit();
    expect((await quiet.turn()).attachments).toEqual([]);
    expect((await loud.turn()).reminders[0]?.blocks.map(({ type }) => type)).toEqual(["text", "image"]);
  });

  it("AC-11 is known to have been seen, by any of its names, until compaction takes it out of view", async () => {
    const session = await read();
    changeWorld(world, { op: "symlink", path: "link", target: world.at("src") });
    world.write("b.ts", "x\n");
    await session.record({ type: "file_read", path: "link/a.ts" });
    const known = async () => ["src/a.ts", "link/a.ts", "b.ts"].map((await session.state()).hasSeen);
    expect(await known()).toEqual([true, true, false]);
    await session.record({ type: "compacted" });
    expect(await known()).toEqual([false, false, false]);
  });

  it("AC-16 costs no look at the disk where the type is off", async () => {
    const session = openIn(world, { config: { attachments: { changed_files: false } } });
    world.write("src/a.ts", "one\n");
    await session.record({ type: "file_read", path: "src/a.ts" });
    world.write("src/a.ts", "two\n");
    const turn = await session.turn();
    expect(turn.reminders).toEqual([]);
    expect(outcomeOf(turn, "edited_text_file")).toBe("off: switched off: attachments.edited_text_file");
  });
});

describe("the todo file", () => {
  const list = (...items: string[]) =>
    JSON.stringify(items.map((content) => ({ content, status: "pending" })));

  it("AC-12 is told of with the list when someone else changes it, never when the agent does", async () => {
    const session = openIn(world, { id: "s" });
    const file = ".claude/todos/s.json";
    world.write(file, list("mine"));
    await session.record({ type: "todos_written", items: [{ content: "mine", status: "pending" }] });
    expect((await session.turn()).reminders).toEqual([]);
    world.write(file, list("mine", "theirs"));
    const turn = await session.turn();
    expect(textOf(turn, "todo")).toBe(
      "<system-reminder>\nThe todo list was changed outside this conversation. It is now:\n\n[1. [pending] mine\n2. [pending] theirs]\n</system-reminder>",
    );
    await turn.commit();
    expect((await session.turn()).reminders).toEqual([]);
  });

  it("AC-12 that someone else has made is told, also where the session had no list", async () => {
    const session = openIn(world, { id: "s" });
    expect((await answered(session)).reminders).toEqual([]);
    world.write(".claude/todos/s.json", list("theirs"));
    expect(textOf(await answered(session), "todo")).toContain("It is now:\n\n[1. [pending] theirs]");
    expect((await answered(session)).reminders).toEqual([]);
  });

  it("AC-36 comes back after compaction as the list, not as one of the files", async () => {
    const session = openIn(world, { id: "s" });
    world.write(".claude/todos/s.json", list("mine"));
    await session.record({ type: "todos_written", items: [{ content: "mine", status: "pending" }] });
    await session.record({ type: "file_written", path: ".claude/todos/s.json" });
    await answered(session);
    await session.record({ type: "compacted" });
    const types = (await answered(session)).reminders.map(({ type }) => type);
    expect(types).toContain("todo");
    expect(types).not.toContain("file");
  });

  it("that was there before the session began is no news", async () => {
    world.write(".claude/todos/s.json", list("old"));
    expect((await answered(openIn(world, { id: "s" }))).reminders).toEqual([]);
  });

  const appearing: Record<string, (file: string, older: string) => void> = {
    "as a link": (file, older) => symlinkSync(world.at(older), world.at(file)),
    "as a hard link": (file, older) => linkSync(world.at(older), world.at(file)),
    "moved there": (file, older) => renameSync(world.at(older), world.at(file)),
    "with its directory, which was moved": () => renameSync(world.at("older"), world.at(".claude/todos")),
    "behind a link to its directory": () => symlinkSync(world.at("older"), world.at(".claude/todos")),
    written: (file) => world.write(file, list("theirs")),
  };
  // What has times of its own is judged by these before the first turn.
  const isOld = (how: string) => how === "as a link" || how.includes("directory");
  const appearances = Object.keys(appearing).flatMap((how) =>
    ["open", "closed", ...(isOld(how) ? ["closed, and has not had a turn"] : [])].map(
      (is) => [how, is] as const,
    ),
  );
  it.each(appearances)(
    "that appears %s while the session is %s is judged by what the log knows",
    async (how, is) => {
      const file = ".claude/todos/s.json";
      world.write("older/s.json", list("theirs"));
      const isOfDirectory = how.includes("directory");
      world.write(isOfDirectory ? ".claude/other" : ".claude/todos/other", "");
      const store = createMemoryStore();
      let session = openIn(world, { id: "s", store });
      await session.record({ type: "todos_written", items: [{ content: "mine", status: "pending" }] });
      if (is !== "closed, and has not had a turn") await answered(session);
      if (is !== "open") await session.close();
      appearing[how]?.(file, "older/s.json");
      if (is !== "open") session = openIn(world, { id: "s", store });
      const told = textOf(await answered(session), "todo");
      const isNew = how === "written" || how === "as a hard link" || how === "moved there";
      if (is === "closed, and has not had a turn" && !isNew) expect(told).toBeUndefined();
      else expect(told).toContain("It is now:\n\n[1. [pending] theirs]");
      expect((await answered(session)).reminders).toEqual([]);
    },
  );

  it("that was there before the conversation was cleared is no news behind that", async () => {
    const store = createMemoryStore();
    const session = openIn(world, { id: "s", store });
    await answered(session);
    world.write(".claude/todos/s.json", list("theirs"));
    await answered(session);
    await session.record({ type: "session_started", reason: "clear" });
    await session.close();
    const told = textOf(await answered(openIn(world, { id: "s", store })), "todo");
    expect(told).not.toContain("was changed outside");
  });

  it("is told of the same way where it is all there is to look for as where other files are watched", async () => {
    const file = ".claude/todos/s.json";
    const step = fc.oneof(
      fc.record({
        do: fc.constant("write"),
        items: fc.subarray(["mine", "theirs", "ours"], { minLength: 1 }),
      }),
      fc.record({ do: fc.constantFrom("remove", "turn", "turn") }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        const told: (string | undefined)[][] = [];
        for (const watchesOthers of [false, true]) {
          const own = createFileWorld();
          own.write("other.txt", "never changed");
          const session = openIn(own, { id: "s" });
          if (watchesOthers) await session.record({ type: "file_read", path: "other.txt" });
          await answered(session);
          const texts: (string | undefined)[] = [];
          for (const one of steps)
            if ("items" in one) own.write(file, list(...one.items));
            else if (one.do === "remove") rmSync(own.at(file), { force: true });
            else texts.push(textOf(await answered(session), "todo"));
          told.push(texts);
          await session.close();
          own.remove();
        }
        expect(told[0]).toEqual(told[1]);
      }),
      runs(400),
    );
  });
});
