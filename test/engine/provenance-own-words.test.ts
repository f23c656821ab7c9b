// A command whose own words say what becomes of a file: the agent knows, and is not told. All else is.

import { spawnSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Session, SessionEvent } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

let world: FileWorld;
let session: Session;
beforeEach(async () => {
  world = createFileWorld();
  world.write("a.ts", "one\ntwo\n");
  world.write("sub/a.ts", "sub\n");
  session = openIn(world);
  for (const path of ["a.ts", "sub/a.ts"]) await session.record({ type: "file_read", path });
});
afterEach(async () => {
  await session.close();
  world.remove();
});

function sh(command: string, directory = ""): void {
  const { status, stderr } = spawnSync("bash", ["-c", command], {
    cwd: world.at(directory),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}

/** The time of files has gone on: what comes next is told apart from what was. */
async function tick(): Promise<void> {
  const from = Date.now();
  do {
    await delay(5);
    writeFileSync(world.at(".tick"), "");
  } while (statSync(world.at(".tick")).ctimeMs <= from + 15);
}

let count = 0;
interface Way {
  directory?: string;
  of?: Session;
  meanwhile?(): void;
}
async function command(text: string, { directory, of = session, meanwhile }: Way = {}): Promise<void> {
  const place = directory === undefined ? {} : { directory };
  const event = { type: "command_ran" as const, id: `c${++count}`, command: text, ...place };
  await tick();
  await of.record({ ...event, startedAt: new Date().toISOString() });
  sh(text, directory);
  meanwhile?.();
  await tick();
  await of.record({ ...event, endedAt: new Date().toISOString() });
  await tick();
}

/** Each notice in a line of its own. */
async function told(of: Session = session): Promise<string[]> {
  const turn = await of.turn();
  await turn.commit();
  return turn.reminders.map(({ text }) => text.split("\n")[1] ?? "");
}

describe("AC-54 is not told", () => {
  it.each([
    "echo three >> a.ts",
    "echo three > a.ts",
    "printf 'x\\ny\\n' >> a.ts",
    "printf '%s\\n' x y > ./a.ts",
    "cat > a.ts <<'EOF'\nconst x = `$HOME`;\nEOF",
    "cat > a.ts <<'EOF'\nx\nEOF\ncat a.ts | wc -l",
    "rm a.ts",
    "mkdir d && mv a.ts d/",
    "rm a.ts; echo new > a.ts",
  ])("%j, and what comes later is told against it", async (text) => {
    await command(text);
    expect(await told()).toEqual([]);
    sh("echo theirs >> a.ts");
    const turn = await session.turn();
    expect(turn.reminders).toHaveLength(1);
    expect(turn.reminders[0]?.text).toMatch(/outside this conversation|is there again/u);
    expect(turn.reminders[0]?.text.match(/^ *\d+ [+-] .*$/gmu) ?? []).toHaveLength(
      /rm|mv/u.test(text) && !text.includes("new") ? 0 : 1,
    );
  });

  it("without times, where the file holds that text; that one is gone need not be the command's doing", async () => {
    sh("echo three >> a.ts; rm sub/a.ts");
    await session.record({ type: "command_ran", id: "c", command: "echo three >> a.ts; rm sub/a.ts" });
    expect(await told()).toEqual([expect.stringMatching(/sub\/a\.ts.*possibly by your command/u)]);
  });

  it("in another directory, where that was recorded", async () => {
    await command("echo x >> a.ts", { directory: "sub" });
    expect(await told()).toEqual([]);
    await command("rm a.ts", { directory: "sub" });
    expect(await told()).toEqual([]);
  });

  it("and says why", async () => {
    await command("echo three >> a.ts");
    const { trace } = await session.turn();
    expect(trace.find(({ type }) => type === "edited_text_file")?.reason).toContain(
      "a.ts became what your command `echo three >> a.ts` says, so the model knows",
    );
  });
});

describe("AC-54 is told", () => {
  it.each([
    "X=three; echo $X >> a.ts",
    "echo -e 'three' >> a.ts",
    "echo t* >> a.ts",
    "sed -i s/two/2/ a.ts",
    "echo 'x=1' > a.ts; sed -i s/1/2/ a.ts",
    "test -f none || echo x >> a.ts",
    "rm *.ts",
    "git init -q; rm a.ts",
    "mv sub/a.ts a.ts",
    "cat > a.ts <<EOF\n$HOME\nEOF",
    "cd sub && echo x >> a.ts",
  ])("%j", async (text) => {
    await command(text);
    const notices = await told();
    expect(notices.length).toBeGreaterThan(0);
    for (const one of notices) expect(one).toContain("your command `");
  });

  it("where somebody else wrote, too, before it ended", async () => {
    await command("echo three >> a.ts", { meanwhile: () => sh("echo theirs >> a.ts") });
    expect(await told()).toEqual([expect.stringContaining("by your command `echo three >> a.ts`")]);
  });

  it("where somebody else's edit before it is still to be told", async () => {
    sh("echo theirs >> a.ts");
    await command("echo three >> a.ts");
    expect(await told()).toEqual([
      expect.stringContaining("outside this conversation"),
      expect.stringContaining("by your command"),
    ]);
  });

  it("where somebody else's edit before it was offered and given up", async () => {
    sh("echo theirs >> a.ts");
    const offered = await session.turn();
    await command("echo three >> a.ts");
    await offered.abandon();
    expect((await told())[0]).toContain("outside this conversation");
  });

  it("where two commands ran at once", async () => {
    const ran = (id: string, times: object): SessionEvent => ({
      type: "command_ran",
      id,
      command: id === "one" ? "echo three >> a.ts" : "make",
      ...times,
    });
    await tick();
    for (const id of ["one", "two"]) await session.record(ran(id, { startedAt: new Date().toISOString() }));
    sh("echo three >> a.ts");
    for (const id of ["one", "two"]) await session.record(ran(id, { endedAt: new Date().toISOString() }));
    expect(await told()).toEqual([expect.stringContaining(", possibly by your command")]);
  });

  it("where its end is not known: it may have been refused", async () => {
    await tick();
    const startedAt = new Date().toISOString();
    await session.record({ type: "command_ran", id: "c", command: "rm a.ts", startedAt });
    sh("rm a.ts");
    expect(await told()).toEqual([expect.stringContaining("rm a.ts")]);
  });

  it("where words were taken out of it, or its end", async () => {
    await command(`rm a.ts; echo ${"x".repeat(3000)}`);
    expect(await told()).toHaveLength(1);
    process.env.OWN_WORDS_TOKEN = "canary-1234567890abcdef";
    try {
      await command("rm sub/a.ts; echo canary-1234567890abcdef");
      expect(await told()).toHaveLength(1);
    } finally {
      delete process.env.OWN_WORDS_TOKEN;
    }
  });

  it("where it was a sub-agent's, or a task's", async () => {
    const child = session.subagent({ agentType: "Plan" });
    await child.turn();
    await command("echo three >> a.ts", { of: child });
    expect(await told(child)).toEqual([]);
    expect(await told()).toEqual([expect.stringContaining("a command of your sub-agent Plan")]);
    const task = { taskId: "b1", taskType: "shell" as const, description: "d", command: "rm a.ts" };
    await session.record({ type: "task_started", ...task });
    sh("rm a.ts");
    await session.record({ type: "task_finished", taskId: "b1", status: "completed" });
    expect((await told())[0]).toContain("your background task b1");
  });
});
