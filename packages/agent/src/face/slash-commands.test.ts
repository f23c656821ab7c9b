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
    ["/paln", '/paln is not a command; did you mean "/plan"? (start with // to send it as a prompt)'],
    ["/quit", '/quit is not a command; did you mean "/exit"? (start with // to send it as a prompt)'],
    ["/zzzzzzzzz", "/zzzzzzzzz is not a command; /help lists them (start with // to send it as a prompt)"],
    ["/", "/ is not a command; /help lists them"],
    ["/plan now", '/plan takes no argument, got "now"'],
    ["/rewind back", '/rewind takes a turn number, got "back"'],
    ["/rewind 0", '/rewind takes a turn number, got "0"'],
    ["/rewind -1", '/rewind takes a turn number, got "-1"'],
    ["/rewind 99999999999999999999", '/rewind takes a turn number, got "99999999999999999999"'],
    ["/style a b", '/style [name] takes one word, got "a b"'],
    ["/mail ada", "/mail ada: the message is missing; use /mail NAME TEXT"],
    ["/explain a b", '/explain [type] takes one word, got "a b"'],
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
    "  /plan                   turn plan mode on or off
      /delegate               turn delegate mode on or off (needs --team)
      /todo                   show the todo list
      /compact                summarise the conversation to free up context
      /clear                  clear the conversation; files and settings stay
      /cost                   show tokens and cost so far
      /model [provider/name]  show the model, or switch to another
      /rewind [turn]          go back to the end of a turn; default: the previous one
      /explain [type]         show which reminders the last turn sent or skipped, and why
      /tasks                  show background tasks and their output files
      /style [name]           show the output styles, or switch to another
      /mail [name text]       show messages from team mates, or send one
      /help                   show this help
      /exit                   end the session (or Ctrl-D)

    Tab completes commands, and paths after @.
    End a line with \\ to continue on the next. Start with // to send a prompt that begins with /.
    Ctrl-C stops the agent; press it twice to end the session.
    While the agent works, commands that only show something run at once; other
    lines are sent with its next call."
  `);
});
