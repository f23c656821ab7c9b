// What `record` and `turn` do with calls that cannot work: a closed session, options that throw, a log that cannot be read.

import { anthropicMessages, createMemoryStore, createSession, SottoError, type TurnOptions } from "sotto";
import { describe, expect, it } from "vitest";
import { fileName } from "../../packages/sotto/src/platform/paths.ts";

const open = (options: object = {}) =>
  createSession({ cwd: "/repo", configFiles: { read: false }, ...options });
const thrownBy = (call: () => unknown) => {
  try {
    call();
    return undefined;
  } catch (error) {
    return error instanceof SottoError ? `${error.code}: ${error.message}` : error;
  }
};

describe("record", () => {
  it("rejects on a closed session, and throws at once only for a wrong event", async () => {
    const session = open();
    await session.close();
    const recorded = session.record({ type: "plan_implemented" });
    await expect(recorded).rejects.toMatchObject({ code: "session_closed" });
    await expect(session.reset()).rejects.toMatchObject({ code: "session_closed" });
    await expect(session.record({ type: "config_changed", config: {} })).rejects.toMatchObject({
      code: "session_closed",
    });
    expect(thrownBy(() => session.record({ type: "nope" } as never))).toMatch(/^invalid_event: /u);
  });

  it("says that a list is more than one event", () => {
    expect(thrownBy(() => open().record([{ type: "plan_implemented" }] as never))).toBe(
      "invalid_event: event: got a list; pass one event at a time",
    );
  });

  it("names the type of an event with a field that throws, if it can be read", () => {
    const throwing = () => {
      throw new Error("boom");
    };
    const field = Object.defineProperty({ type: "task_finished", status: "failed" }, "taskId", {
      enumerable: true,
      get: throwing,
    });
    expect(thrownBy(() => open().record(field as never))).toBe(
      "invalid_event: task_finished: it cannot be read: boom",
    );
    const type = Object.defineProperty({}, "type", { enumerable: true, get: throwing });
    expect(thrownBy(() => open().record(type as never))).toBe(
      "invalid_event: event: it cannot be read: boom",
    );
  });
});

describe("turn", () => {
  const boom = () => {
    throw new Error("boom");
  };
  const body = { messages: [{ role: "user", content: "hi" }] };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  it.each<[string, unknown, unknown]>([
    [
      "a body that throws",
      {
        dialect: anthropicMessages,
        get body() {
          return boom();
        },
      },
      undefined,
    ],
    [
      "a dialect that throws",
      {
        body,
        get dialect() {
          return boom();
        },
      },
      body,
    ],
    [
      "a prompt that throws",
      {
        body,
        dialect: anthropicMessages,
        get userPrompt() {
          return boom();
        },
      },
      body,
    ],
    ["a dialect with fields that throw", { body, dialect: new Proxy({}, { get: boom }) }, body],
    [
      "a proxy that throws",
      new Proxy(
        {},
        { get: boom, has: boom, ownKeys: boom, getOwnPropertyDescriptor: boom, getPrototypeOf: boom },
      ),
      undefined,
    ],
    ["a revoked proxy", revoked.proxy, undefined],
  ])("resolves with its problem for %s", async (_, options, expected) => {
    const session = open();
    const turn = await session.turn(options as TurnOptions);
    expect(turn.problem).toMatch(/^turn: the options cannot be read: /u);
    expect({ body: turn.body, reminders: turn.reminders, number: turn.number }).toEqual({
      body: expected,
      reminders: [],
      number: 0,
    });
    await session.close();
  });

  it("reads each option once", async () => {
    const reads: string[] = [];
    const options = new Proxy(
      { dialect: anthropicMessages, body, userPrompt: "" },
      {
        get(target, name) {
          reads.push(String(name));
          return Reflect.get(target, name);
        },
      },
    );
    const session = open();
    expect((await session.turn(options)).problem).toBeUndefined();
    expect(new Set(reads).size).toBeLessThanOrEqual(reads.length);
    expect(reads.filter((name) => name === "body").length).toBeLessThanOrEqual(2);
    await session.close();
  });

  it("keeps earlier reminders in their places when the log cannot be read for a turn, and says so", async () => {
    const store = createMemoryStore();
    let isBroken = false;
    const flaky = {
      ...store,
      read: (...given: Parameters<typeof store.read>) =>
        isBroken ? Promise.reject(new Error("the disk is away")) : store.read(...given),
    };
    const session = open({ store: flaky, id: "s" });
    const messages: { role: "user" | "assistant"; content: string }[] = [{ role: "user", content: "go" }];
    const ask = async () => session.turn({ dialect: anthropicMessages, body: { messages: [...messages] } });
    const say = () => messages.push({ role: "assistant", content: "ok" }, { role: "user", content: "more" });
    await session.record({ type: "prompt_queued", id: "1", prompt: "First." });
    const first = await ask();
    expect(first.reminders).toHaveLength(1);
    await first.commit();
    say();
    isBroken = true;
    const second = await ask();
    expect(second.problem).toBe("the disk is away");
    expect(second.reminders).toEqual([]);
    expect(
      JSON.stringify(second.body.messages).startsWith(JSON.stringify(first.body.messages).slice(0, -1)),
    ).toBe(true);
    say();
    isBroken = false;
    await session.record({ type: "prompt_queued", id: "2", prompt: "Second." });
    const third = await ask();
    expect(third.problem).toBeUndefined();
    expect(
      JSON.stringify(third.body.messages).startsWith(JSON.stringify(second.body.messages).slice(0, -1)),
    ).toBe(true);
    expect(JSON.stringify(third.body)).toContain("Second.");
    await session.close();
  });
});

describe("files of a session", () => {
  it("different ids have different files, and plain ids keep their name", async () => {
    const ids = [
      "a-b",
      "a/b",
      "a\\b",
      "a b",
      "a--b",
      "a:b",
      "..",
      ".",
      "-",
      "-a",
      ".a",
      "é",
      "e\u0301",
      "x".repeat(300),
      `${"x".repeat(300)}y`,
      "😀".repeat(5000),
    ];
    const names = ids.map(fileName);
    expect(new Set(names).size).toBe(ids.length);
    expect(names.filter((name) => !/^[\w-][\w.-]{0,199}$/u.test(name))).toEqual([]);
    expect(["a-b", "session_1.2", "0c9e"].map(fileName)).toEqual(["a-b", "session_1.2", "0c9e"]);
    const paths = await Promise.all(
      ["a-b", "a/b", "a\\b"].map(async (id) => {
        const session = open({ id });
        const state = await session.state();
        await session.close();
        return [state.paths.plan, state.paths.todos];
      }),
    );
    expect(paths[0]).toEqual(["/repo/.claude/plans/a-b.md", "/repo/.claude/todos/a-b.json"]);
    expect(new Set(paths.flat()).size).toBe(6);
  });
});
