// Mail as `sotto run` has it: other processes write, the letter is seen in what the model is sent.

import { existsSync, readdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runSotto, sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { type ModelServer, type Script, startModelServer } from "../support/servers/model-server.ts";

let cwd: string;
let home: string;
let server: ModelServer | undefined;
beforeEach(() => {
  cwd = realpathSync(temporaryDirectory());
  home = temporaryDirectory();
  server = undefined;
});
afterEach(() => server?.close());

const serve = async (script: Script) => {
  server = await startModelServer({ provider: "anthropic", script });
};
const options = () => ({
  cwd,
  env: {
    HOME: home,
    XDG_STATE_HOME: home,
    ANTHROPIC_API_KEY: "k",
    ...(server && { ANTHROPIC_BASE_URL: server.url }),
  },
});
const sotto = (args: string[]) => sottoHere(args, options());
const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });
const bodies = () => (server?.requests ?? []).map(({ body }) => JSON.stringify(body));

test("AC-44 a message of another process is in the next request, once; an agent answers another", async () => {
  const first = ["send", "parsers/grace", "The parser is done.", "--from", "ci", "--id", "m1"];
  expect((await runSotto(first, options())).stdout).toBe("m1\n");
  const piped = ["send", "parsers/grace", "--from", "ada", "--json"];
  expect((await runSotto(piped, { ...options(), input: "From a pipe.\n" })).code).toBe(0);
  await serve((body, index) => {
    if (index === 0) return call("SendMessage", { to: "ada", text: "Thank you, Ada." });
    return { text: JSON.stringify(body).includes("Thank you, Ada.") ? "Answered." : "Nothing new." };
  });
  expect((await sotto(["run", "-p", "go", "--mailbox", "parsers/grace"])).stdout).toBe("Answered.\n");
  const [request] = bodies();
  expect(request).toContain(
    '<teammate-message teammate_id=\\"ci\\">\\nThe parser is done.\\n</teammate-message>',
  );
  expect(request).toContain('<teammate-message teammate_id=\\"ada\\">\\nFrom a pipe.\\n</teammate-message>');
  await sotto(first);
  await sotto(["run", "-p", "and now?", "--resume", "--mailbox", "parsers/grace"]);
  expect(
    bodies()
      .at(-1)
      ?.match(/The parser is done\./gu),
  ).toHaveLength(1);
  await sotto(["run", "-p", "mail?", "--mailbox", "parsers/ada"]);
  expect(bodies().at(-1)).toContain(
    '<teammate-message teammate_id=\\"grace\\">\\nThank you, Ada.\\n</teammate-message>',
  );
  expect(server?.violations).toEqual([]);
});

test("without --mailbox nothing is read, and there is nothing to send with", async () => {
  await sotto(["send", "parsers/grace", "Hello."]);
  await serve([{ text: "Fine." }]);
  await sotto(["run", "-p", "go"]);
  expect(bodies()[0]).not.toContain("Hello.");
  expect(bodies()[0]).not.toContain("SendMessage");
  expect(readdirSync(join(cwd, ".sotto/mail/parsers/grace/new"))).toHaveLength(1);
});

test("a message does not leave the project by a link of it", async () => {
  const outside = temporaryDirectory();
  symlinkSync(outside, join(cwd, ".sotto"));
  const ran = await sotto(["send", "parsers/grace", "x"]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("leads out of the project: nothing was sent");
  expect(readdirSync(outside)).toEqual([]);
  const said = await sotto(["send", "parsers/grace", "x", "--mailbox", join(outside, "mail")]);
  expect(said.code).toBe(0);
});

test.each([
  [["send", "grace", "x"], 2, '"grace" is not an address: expected team/agent'],
  [["send", "a/b/c", "x"], 2, "is not an address"],
  [["send", "../b", "x"], 2, "to.team: expected a name"],
  [["send", "a/b", " "], 2, "the message is empty"],
  [["run", "-p", "x", "--mailbox", "grace"], 2, "is not an address"],
])("%j is wrong use", async (args, code, words) => {
  const ran = await sotto(args);
  expect({ code: ran.code, words: ran.stderr.includes(words) ? words : ran.stderr }).toEqual({ code, words });
  expect(existsSync(join(cwd, ".sotto"))).toBe(false);
});
