// A lead and its team mates, as `sotto run` has them: processes of their own, one task list, mail, chats.

import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  finished,
  runSotto,
  sottoHere,
  startSotto,
  temporaryDirectory,
} from "../../packages/cli/test/run-sotto.ts";
import { isRunning } from "../support/processes.ts";
import { type Answer, type ModelServer, startModelServer } from "../support/servers/model-server.ts";
import { witness } from "../support/witness.ts";

let cwd: string;
let home: string;
let server: ModelServer | undefined;
beforeEach(() => {
  cwd = realpathSync(temporaryDirectory());
  home = temporaryDirectory();
  server = undefined;
});
afterEach(() => server?.close());

/** What an agent says, by all it has heard and how often it was asked. */
type Part = (heard: string, call: number) => Answer;

/** Everybody has a part: the lead, and mates by their names. */
async function play(parts: Record<string, Part>): Promise<void> {
  const calls = new Map<string, number>();
  server = await startModelServer({
    provider: "anthropic",
    script(body) {
      const who = nameIn(body);
      const call = calls.get(who) ?? 0;
      calls.set(who, call + 1);
      return (
        parts[who]?.(JSON.stringify(body.messages), call) ?? { status: 500, error: `no part for ${who}` }
      );
    },
  });
}

const nameIn = (body: unknown) =>
  /You are (\w+), a team mate/u.exec(JSON.stringify((body as { system?: unknown }).system))?.[1] ?? "lead";
const heardBy = (who: string) =>
  (server?.requests ?? []).flatMap(({ body }) =>
    nameIn(body) === who ? [JSON.stringify((body as { messages: unknown }).messages)] : [],
  );

const env = () => ({
  HOME: home,
  XDG_STATE_HOME: home,
  TMPDIR: home,
  ANTHROPIC_API_KEY: "canary-key",
  ...(server && { ANTHROPIC_BASE_URL: server.url }),
});
const all = ["--permission-mode", "all", "--no-ide"];
const lead = ["run", "--team", "parsers", "--delegate", ...all];
const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });
const spawn = (name: string, more = {}) =>
  call("Teammate", { action: "spawn", name, prompt: `You are on it, ${name}.`, ...more });
const once = (text: string, part: RegExp) => expect(text.match(part) ?? [], String(part)).toHaveLength(1);

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const mate =
  (task: string): Part =>
  (_heard, index) =>
    [
      call("TaskList", {}),
      call("TaskUpdate", { taskId: task, status: "in_progress" }),
      call("CollabPost", { chat: "general", text: `task ${task} is in good hands` }),
      call("TaskUpdate", { taskId: task, status: "completed", note: "all green" }),
      call("SendMessage", { to: "lead", text: `Task ${task} is done.` }),
      { text: `Last words about ${task}.` },
    ][index] ?? { text: "?" };

test("AC-44 a lead in delegate mode hands out tasks: mail, chats and the end of the mates are told", async () => {
  const script = [
    call("TaskCreate", { subject: "Parse dates", description: "ISO only" }),
    call("TaskCreate", { subject: "Parse times" }),
    call("Bash", { command: "touch lead-was-here" }),
    spawn("ada"),
    spawn("grace"),
    call("TaskOutput", { task_id: "a1", timeout: 120_000 }),
    call("TaskOutput", { task_id: "a2", timeout: 120_000 }),
    call("Teammate", { action: "list" }),
    call("CollabRead", { chat: "@general" }),
    call("TaskList", {}),
    { text: "The team is done." },
  ];
  await play({ lead: (_heard, index) => script[index] ?? { text: "?" }, ada: mate("1"), grace: mate("2") });
  const ran = await runSotto([...lead, "-p", "Parse dates and times."], { cwd, env: env() });
  expect(ran.stderr).not.toContain("canary-key");
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 0, stdout: "The team is done.\n" });
  expect(server?.violations).toEqual([]);
  const requests = heardBy("lead");
  const last = requests.at(-1) ?? "";
  expect(requests[0]).toContain("Delegate mode is on, with the team parsers.");
  expect(requests[0]).toContain(`${home}/.claude/tasks/parsers/`);
  once(last, /elegate mode is on: Bash may change things, which is for team mates to do/gu);
  expect(readdirSync(cwd)).not.toContain("lead-was-here");
  for (const [name, task] of [
    ["ada", "1"],
    ["grace", "2"],
  ]) {
    once(
      last,
      new RegExp(`<teammate-message teammate_id=\\\\"${name}\\\\">\\\\nTask ${task} is done\\.`, "gu"),
    );
    once(
      last,
      new RegExp(`\\(type: agent\\) \\(status: completed\\) \\(description: team mate ${name}\\)`, "gu"),
    );
    expect(last).toContain(`Last words about ${task}.`);
    expect(last).toContain(`[completed, ${name}]`);
    expect(last).toContain(`task ${task} is in good hands`);
  }
  expect(last).toMatch(
    /You have \d unread collab message\(s\) from: @general \(\d new\)\. CollabRead reads them\./u,
  );
  const told = { requests: (server?.requests ?? []).map(({ body }) => body) };
  const mates = { source: "the team's directory", process: "sotto run of each mate" };
  witness("collab_notification", mates, { ...told, pattern: /unread collab message\(s\) from: @general/u });
  witness(
    "delegate_mode",
    { source: "--team", process: "sotto run" },
    { ...told, pattern: /Delegate mode is on/u },
  );
  // Both are tasks on disk, and in a list that both mates have seen.
  const list = join(home, ".claude/tasks/parsers");
  expect(readdirSync(list).sort()).toEqual(["1.claim", "1.json", "2.claim", "2.json"]);
  expect(JSON.parse(readFileSync(join(list, "1.json"), "utf8"))).toEqual({
    id: "1",
    subject: "Parse dates",
    description: "ISO only",
    status: "completed",
    createdBy: "lead",
    owner: "ada",
    note: "all green",
  });
  expect(heardBy("ada")[0]).toContain("You are on it, ada.");
  expect(heardBy("ada").at(-1)).toContain("Parse times");
  const ids = readdirSync(join(home, "sotto/conversations"));
  expect(ids.filter((name) => /-team-(ada|grace)\.jsonl$/u.test(name))).toHaveLength(2);
});

test("AC-44 a mate that is killed is told as failed; started again, it goes on where it was", async () => {
  const pid = /pid (\d+)\./u;
  await play({
    lead: (heard, index) => {
      if (index === 0) return spawn("ada");
      if (heard.includes("Back again.")) return { text: "Done." };
      if (heard.includes("(status: failed)") && !heard.includes("toolu_again"))
        return {
          toolCalls: [
            {
              id: "toolu_again",
              name: "Teammate",
              input: { action: "spawn", name: "ada", prompt: "Go on." },
            },
          ],
        };
      if (heard.includes("toolu_again")) return call("TaskOutput", { task_id: "a2", timeout: 120_000 });
      return call("TaskOutput", { task_id: "a1", timeout: 120_000 });
    },
    ada: (heard) => {
      if (heard.includes("Go on."))
        return { text: heard.includes("You are on it") ? "Back again." : "Lost." };
      return pid.test(heard)
        ? { text: "Nobody hears this.", delayMs: 600_000 }
        : call("Bash", { command: "echo pid $PPID.", description: "Look" });
    },
  });
  const running = finished(startSotto([...lead, "-p", "go"], { cwd, env: env() }));
  await until(() => heardBy("ada").length === 2);
  process.kill(Number(pid.exec(heardBy("ada")[1] ?? "")?.[1]), "SIGKILL");
  expect((await running).stdout).toBe("Done.\n");
  const last = heardBy("lead").at(-1) ?? "";
  once(
    last,
    /Task a1 \(type: agent\) \(status: failed\) \(description: team mate ada\) Delta: killed by SIGKILL/gu,
  );
  expect(last).toContain("Task a2");
  expect(server?.violations).toEqual([]);
});

test.each(["SIGKILL", "SIGTERM"] as const)(
  "AC-44 the end of the lead by %s ends its mates and what they run",
  async (signal) => {
    const pid = /pid (\d+) (\d+)\./u;
    await play({
      lead: (_heard, index) =>
        index === 0 ? spawn("ada") : call("TaskOutput", { task_id: "a1", timeout: 600_000 }),
      ada: (heard, index) => {
        if (index === 0)
          return call("Bash", {
            command: "echo $$ > sleeper; exec sleep 600",
            description: "Sleep",
            run_in_background: true,
          });
        return pid.test(heard)
          ? { text: "Nobody hears this.", delayMs: 600_000 }
          : call("Bash", { command: 'echo "pid $PPID $(cat sleeper)."', description: "Look" });
      },
    });
    const child = startSotto([...lead, "-p", "go"], { cwd, env: env() });
    const running = finished(child);
    await until(() => heardBy("ada").some((heard) => pid.test(heard)));
    const [, mateId = "", sleepId = ""] = pid.exec(heardBy("ada").at(-1) ?? "") ?? [];
    expect([isRunning(mateId), isRunning(sleepId)]).toEqual([true, true]);
    child.kill(signal);
    await running;
    await until(() => !isRunning(mateId) && !isRunning(sleepId));
  },
);

test("a mate is stopped by its lead, works as the kind of agent that was asked for, and asks nobody", async () => {
  await play({
    lead: (heard, index) => {
      if (index === 0) return spawn("ada", { agentType: "Explore" });
      if (index === 1) return spawn("ada");
      if (index === 2) return spawn("lead");
      if (index === 3) return spawn("joan", { agentType: "Nobody" });
      if (heard.includes("was stopped")) return { text: "Stopped." };
      return heardBy("ada").length === 0
        ? call("TaskOutput", { task_id: "a1", timeout: 200 })
        : call("Teammate", { action: "stop", name: "ada" });
    },
    ada: () => ({ text: "Nobody hears this.", delayMs: 600_000 }),
  });
  const ran = await runSotto([...lead, "--max-turns", "500", "-p", "go"], { cwd, env: env() });
  expect(ran.stdout).toBe("Stopped.\n");
  const last = heardBy("lead").at(-1) ?? "";
  expect(last).toContain("da is already running as a1");
  expect(last).toContain("is your own name");
  expect(last).toMatch(/here is no agent type \\"Nobody\\"/u);
  expect(last).toMatch(/\(status: failed\) \(description: team mate ada\).{0,20}stopped by the lead/u);
  const [asked] = (server?.requests ?? []).filter(({ body }) => nameIn(body) === "ada");
  const { tools = [] } = (asked?.body ?? {}) as { tools?: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual([
    ..."Read Glob Grep Bash TaskOutput SendMessage TaskCreate TaskList TaskUpdate CollabPost CollabRead".split(
      " ",
    ),
  ]);
  expect(JSON.stringify(asked?.body)).toContain("This agent only reads");
});

test("/delegate goes into delegate mode and leaves it; without a team there is nothing to go into", async () => {
  await play({ lead: () => ({ text: "Yes." }) });
  const talk = (args: string[], lines: string[]) =>
    sottoHere(["run", ...args, ...all], { cwd, env: env(), input: `${lines.join("\n")}\n` });
  await talk(["--team", "parsers"], ["/delegate", "one", "/delegate", "two"]);
  expect(heardBy("lead")[0]).toContain("Delegate mode is on, with the team parsers.");
  expect(heardBy("lead")[1]).toContain("## Exited Delegate Mode");
  const requests = (server?.requests ?? []).map(({ body }) => body);
  witness(
    "delegate_mode_exit",
    { source: "/delegate", process: "sotto run" },
    { requests, pattern: /## Exited Delegate Mode/u },
  );
  expect((await talk([], ["/delegate"])).stdout).toContain("start with --team NAME");
});

test.each([
  [["--delegate"], "--delegate needs --team"],
  [["--team", "a", "--mailbox", "a/b"], "--team and --mailbox cannot be combined"],
  [["--team", "a/b"], "is not an address"],
  [["--mate-of", "x"], "--mate-of needs --mailbox and -p"],
  [["--agent-type", "x"], "--agent-type needs --mate-of"],
])("%j is wrong use", async (args, words) => {
  const ran = await sottoHere(["run", "-p", "x", ...args], { cwd, env: env() });
  expect({ code: ran.code, words: ran.stderr.includes(words) ? words : ran.stderr }).toEqual({
    code: 2,
    words,
  });
});
