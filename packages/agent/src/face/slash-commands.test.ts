// What is a command, what is a prompt, and what is wrong.

import { describe, expect, test } from "vitest";
import { parseSlash, slashHelp } from "./slash-commands.ts";

describe("commands", () => {
  test.each([
    ["/plan", { type: "plan" }],
    ["/delegate", { type: "delegate" }],
    ["/todo", { type: "todo" }],
    ["/compact ", { type: "compact" }],
    ["/rewind", { type: "rewind" }],
    ["/rewind  12", { type: "rewind", turn: 12 }],
    ["/explain", { type: "explain" }],
    ["/explain token_usage", { type: "explain", about: "token_usage" }],
    ["/tasks", { type: "tasks" }],
    ["/style", { type: "style" }],
    ["/style learning", { type: "style", name: "learning" }],
    ["/mail", { type: "mail" }],
    ["/mail ada  It is\ndone.", { type: "mail", to: "ada", text: "It is\ndone." }],
    ["/HELP", { type: "help" }],
    ["/exit", { type: "exit" }],
  ])("%s", (text, meant) => {
    expect(parseSlash(text)).toEqual(meant);
  });
});

describe("prompts", () => {
  test.each([
    ["fix it", "fix it"],
    ["", ""],
    [" /plan", " /plan"],
    ["//plan is a command", "/plan is a command"],
    ["//", "/"],
    ["/usr/bin/env is missing", "/usr/bin/env is missing"],
    ["/etc/hosts", "/etc/hosts"],
    ["/* a comment */", "/* a comment */"],
    ["/a.ts does not compile", "/a.ts does not compile"],
  ])("%s", (text, sent) => {
    expect(parseSlash(text)).toEqual({ type: "prompt", text: sent });
  });
});

describe("wrong ones", () => {
  test.each([
    ["/paln", '/paln is no command; did you mean "/plan"? (// at the start sends it as a prompt)'],
    ["/quit", '/quit is no command; did you mean "/exit"? (// at the start sends it as a prompt)'],
    [
      "/zzzzzzzzz",
      "/zzzzzzzzz is no command; /help shows what there is (// at the start sends it as a prompt)",
    ],
    ["/", "/ alone is no command; /help shows what there is"],
    ["/plan now", '/plan stands alone, and takes no "now"'],
    ["/rewind back", '/rewind takes the number of a turn, not "back"'],
    ["/rewind 0", '/rewind takes the number of a turn, not "0"'],
    ["/rewind -1", '/rewind takes the number of a turn, not "-1"'],
    ["/rewind 99999999999999999999", '/rewind takes the number of a turn, not "99999999999999999999"'],
    ["/style a b", '/style [name] takes one word, not "a b"'],
    ["/mail ada", "/mail ada: what is the message? /mail NAME TEXT sends one"],
    ["/explain a b", '/explain [type] takes one word, not "a b"'],
  ])("%s", (text, message) => {
    expect(parseSlash(text)).toEqual({ type: "wrong", message });
  });

  test("a huge one is answered in a line", () => {
    const huge = parseSlash(`/${"x".repeat(1_000_000)}`);
    expect(huge.type === "wrong" && huge.message.length < 200).toBe(true);
  });
});

test("the help", () => {
  expect(slashHelp()).toMatchInlineSnapshot(`
    "  /plan                   go into plan mode, or leave it
      /delegate               go into delegate mode, or leave it (with --team)
      /todo                   show the todo list
      /compact                sum the conversation up, and go on with the summary
      /clear                  forget the conversation, and begin anew; files and settings stay
      /cost                   show the tokens used so far, and the dollars
      /model [provider/name]  show the model, or go on with another one
      /rewind [turn]          go back to the end of a turn; without a number, of the one before
      /explain [type]         what was said in the last turn, what was not, and why
      /tasks                  show the background tasks, and where their output is
      /style [name]           show the output styles, or answer in another from now on
      /mail [name text]       show the messages of team mates, or send one
      /help                   show this
      /exit                   end the session (Ctrl-D does too)

    Tab completes commands, and paths behind @.
    A line that ends in \\ goes on in the next one. // at the start sends a prompt that begins with /.
    Ctrl-C stops what runs; twice, it ends the session. While the agent works, commands that only show something
    run at once, and other lines go to the agent with its next call."
  `);
});
