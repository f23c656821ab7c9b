// Whatever a host calls a file, reminders name it by its whole path.

import type { Session, SessionEvent } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { outcomeOf, textOf } from "../support/telling.ts";

let world: FileWorld;
let session: Session;
beforeEach(() => {
  world = createFileWorld();
  world.write("src/x.ts", "one\n");
  world.write("deny/x.ts", "secret\n");
  session = openIn(world, { permissions: { denyRead: ["deny/**"] } });
});
afterEach(async () => {
  await session.close();
  world.remove();
});

const next = async () => {
  const turn = await session.turn();
  await turn.commit();
  return turn;
};
const published = (filePath: string, messages: readonly string[]): SessionEvent => ({
  type: "diagnostics_published",
  origin: "host",
  filePath,
  diagnostics: messages.map((message) => ({ message, severity: "Error", line: 1 })),
});
const selected = (filename: string): SessionEvent => ({
  type: "ide_changed",
  ideName: "v",
  selection: { filename, lineStart: 1, lineEnd: 1, content: "one" },
});

describe("a relative path", () => {
  it.each<[string, (path: string) => SessionEvent]>([
    ["diagnostics", (path) => published(path, ["m"])],
    ["opened_file_in_ide", (openFile) => ({ type: "ide_changed", ideName: "v", openFile })],
    ["selected_lines_in_ide", selected],
    ["plan_mode", (planFilePath) => ({ type: "mode_changed", mode: "plan", planFilePath })],
  ])("in %s", async (type, event) => {
    for (const path of ["src/x.ts", "./src/../src/x.ts"]) {
      await session.record(event(path));
      const text = textOf(await next(), type);
      if (path === "src/x.ts") expect(text).toContain(world.at("src/x.ts"));
      else expect(text?.includes(path) ?? false).toBe(false);
    }
  });

  it("of a skill", async () => {
    await session.record({ type: "skill_invoked", name: "s", path: "skills/s.md", content: "S" });
    await session.record({ type: "compacted" });
    expect(textOf(await next(), "invoked_skills")).toContain(`Path: ${world.at("skills/s.md")}\n`);
  });

  it("clears its own diagnostics, and those published under the whole path", async () => {
    for (const [first, then] of [
      ["src/x.ts", "src/x.ts"],
      [world.at("src/x.ts"), "src/x.ts"],
      ["src/x.ts", world.at("src/x.ts")],
    ] as const) {
      await session.record(published(first, ["m"]));
      await session.record(published(then, []));
      expect(textOf(await next(), "diagnostics")).toBeUndefined();
    }
  });

  it("of a file that may not be read is held back as before", async () => {
    await session.record(published("deny/x.ts", ["m"]));
    await session.record(selected("deny/x.ts"));
    const turn = await next();
    expect(turn.reminders).toEqual([]);
    expect(outcomeOf(turn, "selected_lines_in_ide")).toContain("may not be read: deny/**");
  });
});

it.each(["untitled:Untitled-1", "vscode-notebook-cell:/a.ipynb#x", "C:\\src\\x.ts", "/elsewhere/x.ts"])(
  "%s stays as it is",
  async (openFile) => {
    await session.record({ type: "ide_changed", ideName: "v", openFile });
    expect(textOf(await next(), "opened_file_in_ide")).toContain(`opened the file ${openFile} in the IDE`);
  },
);
