// Output styles, mail and tasks at the prompt of `sotto run`.

import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { type ModelServer, type Script, startModelServer } from "../support/servers/model-server.ts";
import { witness } from "../support/witness.ts";

let cwd: string;
let state: string;
let server: ModelServer;
beforeEach(() => {
  cwd = realpathSync(temporaryDirectory());
  state = temporaryDirectory();
});
afterEach(() => server.close());

const serve = async (script: Script) => {
  server = await startModelServer({ provider: "anthropic", script });
};
const sotto = (args: string[], input = "") =>
  sottoHere(args, {
    cwd,
    env: { HOME: state, XDG_STATE_HOME: state, ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url },
    input,
  });
const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });
const systems = () => server.requests.map(({ body }) => JSON.stringify((body as { system: unknown }).system));
const body = (index: number) => JSON.stringify(server.requests.at(index)?.body);
const ACTIVE = "Explanatory output style is active. Follow its guidelines.";

test("AC-44 --style is in the system prompt, reminded of, and kept by a session that goes on", async () => {
  await serve(() => ({ text: "Yes." }));
  const { stderr } = await sotto(["run", "-p", "ok?", "--style", "explanatory", "--no-notes"]);
  expect(stderr).not.toContain("style");
  expect(systems()[0]).toContain('The user has chosen the output style \\"explanatory\\"');
  const requests = server.requests.map(({ body: sent }) => sent);
  witness(
    "output_style",
    { source: "--style", process: "sotto run" },
    { requests, pattern: /Explanatory output style is active/u },
  );
  expect(body(0)).toContain(ACTIVE);
  await sotto(["run", "-p", "still?", "--resume"]);
  expect(systems()[1]).toBe(systems()[0]);
  await sotto(["run", "-p", "plain?", "--resume", "--style", "default"]);
  expect(systems()[2]).not.toContain("output style");
  expect(server.violations).toEqual([]);
});

test("/style shows what there is and changes it from the next call on, once", async () => {
  mkdirSync(join(cwd, ".sotto/styles"), { recursive: true });
  writeFileSync(join(cwd, ".sotto/styles/house.md"), "---\ndescription: as we write\n---\nSay moin.\n");
  await serve(() => ({ text: "Yes." }));
  const typed = ["one", "/style", "/style huose", "/style house", "two", "/style house", "three", ""];
  const { stdout, code } = await sotto(["run"], typed.join("\n"));
  expect(code).toBe(0);
  expect(stdout).toContain("* default      short, plain answers\n");
  expect(stdout).toContain("  house        as we write (from this project)\n");
  expect(stdout).toContain('there is no output style "huose"; did you mean "house"?');
  expect(stdout).toContain("The output style is house from the next call on.");
  expect(stdout).toContain("without the cache");
  expect(stdout).toContain("The output style is already house.");
  const [one, two, three] = systems();
  expect(one).not.toContain("moin");
  expect(two).toContain("Say moin.");
  expect(two).toContain("the words of a file of the project");
  expect(three).toBe(two);
  expect(body(1)).toContain("House output style is active.");
});

test("a style that is not there is wrong use", async () => {
  await serve([]);
  const { code, stderr } = await sotto(["run", "-p", "x", "--style", "lerning"]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('there is no output style "lerning"; did you mean "learning"?'),
  });
});

test("/mail shows what came and sends; without a mailbox it says how to have one", async () => {
  await serve(() => ({ text: "Yes." }));
  await sotto(["send", "parsers/grace", "The parser\nis done.", "--from", "ci", "--id", "m1"]);
  const typed = [
    "/mail",
    "look",
    "look again",
    "/mail",
    "/mail ada Thank you, Ada.",
    "/mail ../x y",
    "/mail ada",
    "",
  ];
  const { stdout } = await sotto(["run", "--mailbox", "parsers/grace"], typed.join("\n"));
  expect(stdout).toContain("No messages for grace in team parsers yet.");
  expect(stdout).toMatch(/^ {2}[\d-]+ [\d:]+ ci: The parser\n {4}is done\.$/mu);
  expect(stdout).toContain("Sent to ada.");
  expect(stdout).toContain("Not sent: ");
  expect(stdout).toContain("/mail ada: the message is missing");
  await sotto(["run", "--mailbox", "parsers/ada"], "mail?\nand now?\n");
  expect(body(-1)).toContain('<teammate-message teammate_id=\\"grace\\">\\nThank you, Ada.');
  expect((await sotto(["run"], "/mail\n")).stdout).toContain("start with --mailbox TEAM/NAME");
});

test("/tasks shows what runs and what ended, with exit codes and where the output is", async () => {
  await serve([
    call("Bash", { command: "echo out; exit 3", description: "fails", run_in_background: true }),
    call("TaskOutput", { task_id: "b1" }),
    call("Bash", { command: "sleep 60", description: "goes on", run_in_background: true }),
    { text: "Started." },
  ]);
  const { stdout } = await sotto(["run", "--permission-mode", "all"], "/tasks\nstart them\n/tasks\n");
  expect(stdout).toContain("There are no background tasks.");
  expect(stdout).toMatch(
    /^ {2}b1 failed, exit code 3: fails\n {5}\/.*\/b1\.log\n {2}b2 running: goes on\n/mu,
  );
});
