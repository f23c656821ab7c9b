// A person at a keyboard, or a pipe in their place.

import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { pageOn } from "./page.ts";
import { createTerminal, type TerminalOptions } from "./terminal.ts";
import { createKeyboard, createScreen, createSignals, hostile, plainStyle } from "./testing.ts";

const KEYS = {
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  up: "\u001b[A",
  backspace: "\u007f",
  paste: "\u001b[200~",
  pasted: "\u001b[201~",
};

let close: () => void = () => undefined;
beforeEach(() => void vi.stubEnv("TERM", "xterm"));
afterEach(() => {
  close();
  vi.unstubAllEnvs();
});

function seated(options: Partial<TerminalOptions> & { isTTY?: boolean; columns?: number } = {}) {
  const { isTTY = true, columns = 60, ...more } = options;
  const input = createKeyboard(isTTY);
  const screen = createScreen({ columns, isTTY });
  const signals = createSignals();
  const heard: string[] = [];
  let time = 0;
  const terminal = createTerminal({
    input,
    output: screen,
    style: plainStyle,
    signals,
    now: () => time,
    onQueued: (text) => void heard.push(`queued ${text}`),
    onAbort: () => void heard.push("abort"),
    onEnd: () => void heard.push("end"),
    ...more,
  });
  close = terminal.close;
  return {
    terminal,
    screen,
    page: pageOn(screen),
    signals,
    heard,
    input,
    wait: (ms: number) => {
      time += ms;
    },
    /** Resolves when it has been read. */
    async type(keys: string) {
      input.write(keys);
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("Tab completes the only candidate, and shows several", async () => {
  const candidates = ["@src/card.ts", "@src/cart.ts"];
  const { terminal, type, screen } = seated({
    complete: async (line) => [candidates.filter((one) => one.startsWith(line)), line],
  });
  const prompt = terminal.prompt();
  await type("@src/cart");
  await type("\t");
  expect(screen.rows()).toEqual(["› @src/cart.ts"]);
  await type("\u007f".repeat(4));
  await type("\t");
  await type("\t");
  expect(screen.rows().join("\n")).toMatch(/@src\/card\.ts +@src\/cart\.ts/u);
  expect(screen.rows().findLast((row) => row !== "")).toBe("› @src/car");
  await type("t.ts\r");
  expect(await prompt).toBe("@src/cart.ts");
});

describe("prompts typed at a terminal", () => {
  test("a line is a prompt", async () => {
    const { terminal, type, screen } = seated();
    const prompt = terminal.prompt();
    await type("fix");
    expect(screen.rows()).toEqual(["› fix"]);
    await type(" it\r");
    expect(await prompt).toBe("fix it");
    expect(screen.rows()).toEqual(["› fix it", ""]);
  });

  test("a backslash at the end goes on in the next line", async () => {
    const { terminal, type, screen } = seated();
    const prompt = terminal.prompt();
    await type("one\\\r");
    await type("  two\\\r");
    await type("three\r");
    expect(await prompt).toBe("one\n  two\nthree");
    expect(screen.rows()).toEqual(["› one\\", "…   two\\", "… three", ""]);
  });

  test("a paste is one prompt, sent by Enter alone", async () => {
    const { terminal, type } = seated();
    const prompt = terminal.prompt();
    await type(`See: ${KEYS.paste}a\\\rb\r\rc${KEYS.pasted}`);
    await type("!\r");
    expect(await prompt).toBe("See: a\\\nb\n\nc!");
  });

  test("an empty line is none", async () => {
    const { terminal, type, screen } = seated();
    const prompt = terminal.prompt();
    await type("\r");
    await type("  \r");
    await type("now\r");
    expect(await prompt).toBe("now");
    expect(screen.rows()).toEqual(["›", "›", "› now", ""]);
  });

  test("Ctrl-D ends, at once and for good", async () => {
    const { terminal, type } = seated();
    const prompt = terminal.prompt();
    await type(KEYS.ctrlD);
    expect([await prompt, await terminal.prompt()]).toEqual([undefined, undefined]);
  });

  test("Ctrl-D within several lines sends them", async () => {
    const { terminal, type } = seated();
    const prompt = terminal.prompt();
    await type("one\\\r");
    await type(KEYS.ctrlD);
    expect([await prompt, await terminal.prompt()]).toEqual(["one", undefined]);
  });

  test("earlier prompts come back, answers to questions do not", async () => {
    const { terminal, type } = seated();
    const first = terminal.prompt();
    await type("the first\r");
    await first;
    const answer = terminal.ask({ body: "", prompt: "? " });
    await type("yes\r");
    expect(await answer).toBe("yes");
    const second = terminal.prompt();
    await type(KEYS.up);
    await type("\r");
    expect(await second).toBe("the first");
  });

  test("what is shown meanwhile stands above what is being typed", async () => {
    const { terminal, type, screen, page } = seated();
    void terminal.prompt();
    await type("half a pr");
    page.write("· a task has ended\n");
    expect(screen.rows()).toEqual(["· a task has ended", "› half a pr"]);
    await type("ompt");
    expect(screen.rows()).toEqual(["· a task has ended", "› half a prompt"]);
  });

  test("a prompt over several rows stays whole", async () => {
    const { terminal, type, screen, page } = seated({ columns: 10 });
    const prompt = terminal.prompt();
    await type("0123456789abcdefghij");
    page.write("one\n");
    page.write("two\n");
    expect(screen.rows()).toEqual(["one", "two", "› 01234567", "89abcdefgh", "ij"]);
    await type("\r");
    expect(await prompt).toBe("0123456789abcdefghij");
  });
});

describe("while the agent works", () => {
  test("lines are handed on", async () => {
    const { type, heard, page, screen } = seated();
    page.write("Working\n");
    await type("also this\r");
    await type("\r");
    await type("and\\\r");
    await type("that\r");
    expect(heard).toEqual(["queued also this", "queued and\nthat"]);
    expect(screen.rows()).toEqual(["Working", "› also this", "› and\\", "… that", ""]);
  });

  test("a line that is being written waits until the typing is done", async () => {
    const { type, page, screen } = seated();
    page.write("The answer");
    await type("wa");
    expect(screen.rows()).toEqual(["The answer", "› wa"]);
    page.write(" is 42.\nAnd there");
    expect(screen.rows()).toEqual(["The answer", " is 42.", "› wa"]);
    page.write(" is more.");
    await type(KEYS.backspace + KEYS.backspace);
    expect(screen.rows()).toEqual(["The answer", " is 42.", "And there is more."]);
  });

  test("a half typed line is the beginning of the next prompt", async () => {
    const { type, terminal, screen } = seated();
    await type("half");
    const prompt = terminal.prompt();
    await type(" and whole\r");
    expect(await prompt).toBe("half and whole");
    expect(screen.rows()).toEqual(["› half and whole", ""]);
  });

  test("a status row makes way for what is typed", async () => {
    const { type, page, screen } = seated();
    page.status("plan · turn 1 …");
    await type("wait");
    expect(screen.rows()).toEqual(["› wait"]);
    page.status("plan · turn 2 …");
    await type("\r");
    page.write("Hello\n");
    expect(screen.rows()).toEqual(["› wait", "Hello", ""]);
  });

  test("without anybody to hand them to, lines are the next prompts", async () => {
    const input = createKeyboard(true);
    const terminal = createTerminal({
      input,
      output: createScreen(),
      style: plainStyle,
      signals: createSignals(),
    });
    close = terminal.close;
    input.write("one\r");
    await new Promise((resolve) => setImmediate(resolve));
    expect(await terminal.prompt()).toBe("one");
  });
});

describe("questions", () => {
  const question = { body: "Write a.ts?\n", prompt: "Allow it? › " };

  test("are asked one after the other", async () => {
    const { terminal, type, screen, page } = seated();
    page.write("● Write a.ts");
    const first = terminal.ask(question);
    const second = terminal.ask({ ...question, body: "Write b.ts?\n" });
    await type("y\r");
    expect(await first).toBe("y");
    await type("n\r");
    expect(await second).toBe("n");
    expect(screen.rows()).toEqual([
      "● Write a.ts",
      "Write a.ts?",
      "Allow it? › y",
      "Write b.ts?",
      "Allow it? › n",
      "",
    ]);
  });

  test("what was being typed is no answer, and comes back", async () => {
    const { terminal, type, screen, heard } = seated();
    await type("yes, and als");
    const answer = terminal.ask(question);
    expect(screen.rows()).toEqual(["Write a.ts?", "Allow it? ›"]);
    await type("n\r");
    expect(await answer).toBe("n");
    expect(screen.rows()).toEqual(["Write a.ts?", "Allow it? › n", "› yes, and als"]);
    await type("o this\r");
    expect(heard).toEqual(["queued yes, and also this"]);
  });

  test("come before a prompt that is waited for", async () => {
    const { terminal, type } = seated();
    const prompt = terminal.prompt();
    const answer = terminal.ask(question);
    await type("y\r");
    await type("go on\r");
    expect([await answer, await prompt]).toEqual(["y", "go on"]);
  });

  test("Ctrl-C and Ctrl-D answer nothing", async () => {
    const { terminal, type, heard } = seated();
    const first = terminal.ask(question);
    const second = terminal.ask(question);
    await type(KEYS.ctrlC);
    expect([await first, await second, heard]).toEqual([undefined, undefined, ["abort"]]);
    const third = terminal.ask(question);
    await type(KEYS.ctrlD);
    expect([await third, await terminal.ask(question)]).toEqual([undefined, undefined]);
  });
});

describe("Ctrl-C", () => {
  test("once stops what runs", async () => {
    const { type, heard, wait } = seated();
    await type(KEYS.ctrlC);
    wait(2000);
    await type(KEYS.ctrlC);
    expect(heard).toEqual(["abort", "abort"]);
  });

  test("twice within two seconds ends", async () => {
    const { terminal, type, heard, wait } = seated();
    await type(KEYS.ctrlC);
    wait(1999);
    await type(KEYS.ctrlC);
    expect(heard).toEqual(["abort", "end"]);
    expect(await terminal.prompt()).toBe(undefined);
  });

  test("at a prompt empties it first", async () => {
    const { terminal, type, heard, screen } = seated();
    const prompt = terminal.prompt();
    await type("one\\\r");
    await type("never mind");
    await type(KEYS.ctrlC);
    expect(screen.rows()).toEqual(["› one\\", "Press Ctrl-C again to end the session.", "›"]);
    await type(KEYS.ctrlC);
    expect([await prompt, heard]).toEqual([undefined, ["end"]]);
  });

  test("after the work was stopped, once more ends at the prompt", async () => {
    const { terminal, type, heard } = seated();
    await type(KEYS.ctrlC);
    const prompt = terminal.prompt();
    await type(KEYS.ctrlC);
    expect([await prompt, heard]).toEqual([undefined, ["abort", "end"]]);
  });

  test("comes as a signal where there is no keyboard, and after its end", async () => {
    const { terminal, signals, heard, input, wait } = seated({ isTTY: false });
    input.end("one\n");
    expect([await terminal.prompt(), await terminal.prompt()]).toEqual(["one", undefined]);
    signals.emit("SIGINT");
    wait(100);
    signals.emit("SIGINT");
    expect(heard).toEqual(["abort", "end"]);
    expect(signals.listenerCount("SIGINT")).toBe(0);
  });
});

describe("a pipe", () => {
  test("each line is a prompt, and is seen in what is written", async () => {
    const { terminal, input, screen, heard } = seated({ isTTY: false });
    input.end("one\r\n\ntwo\\\nand a half\nthree");
    const prompts: (string | undefined)[] = [];
    for (let next = await terminal.prompt(); next !== undefined; next = await terminal.prompt())
      prompts.push(next);
    expect(prompts).toEqual(["one", "two\nand a half", "three"]);
    expect(screen.raw()).toBe("› one\n› two\nand a half\n› three\n");
    expect(heard).toEqual([]);
  });

  test("a terminal that can do nothing is taken for one", async () => {
    vi.stubEnv("TERM", "dumb");
    const { terminal, input, screen } = seated();
    input.end("one\n");
    expect([terminal.isTty, await terminal.prompt()]).toEqual([false, "one"]);
    expect(screen.raw()).toBe("› one\n");
  });

  test("is not asked anything", async () => {
    const { terminal, screen } = seated({ isTTY: false });
    expect(await terminal.ask({ body: "May I?\n", prompt: "› " })).toBe(undefined);
    expect(screen.raw()).toBe("");
    expect(terminal.isTty).toBe(false);
  });

  test.each([true, false])("that breaks is at its end (a terminal: %s)", async (isTTY) => {
    const { terminal, input } = seated({ isTTY });
    const prompt = terminal.prompt();
    input.destroy(new Error("EIO"));
    expect(await prompt).toBe(undefined);
  });

  test("with a line of 10 MB and escape codes", async () => {
    const { terminal, input, screen } = seated({ isTTY: false });
    const line = `${hostile.replaceAll("\r", "")}${"x".repeat(10_000_000)}`.toWellFormed();
    input.end(`${line}\n`);
    expect((await terminal.prompt()) === line).toBe(true);
    expect(screen.raw()).not.toContain("\u001b");
  });
});

test("the terminal is left as it was found", async () => {
  const raw: boolean[] = [];
  const input = Object.assign(createKeyboard(true), { setRawMode: (on: boolean) => void raw.push(on) });
  const screen = createScreen();
  const signals = createSignals();
  const terminal = createTerminal({ input, output: screen, style: plainStyle, signals });
  const prompt = terminal.prompt();
  terminal.close();
  terminal.close();
  expect(await prompt).toBe(undefined);
  expect(raw).toEqual([true, false]);
  expect(screen.raw().endsWith("\u001b[?2004l")).toBe(true);
  expect(screen.rows()).toEqual([""]);
  expect(signals.listenerCount("SIGINT")).toBe(0);
  input.end();
  input.resume();
  await once(input, "close");
});
