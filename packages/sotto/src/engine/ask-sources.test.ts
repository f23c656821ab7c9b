import { describe, expect, it } from "vitest";
import type { ObservedName } from "../facts/facts.ts";
import { nodePlatform } from "../platform/node-platform.ts";
import type { Source } from "../sources/source.ts";
import { createObserver, type ObserveRequest } from "./ask-sources.ts";
import { guardSource } from "./guard-source.ts";

type Observe = Source["observe"];

/** Facts of this test's own, by any name. */
function source(
  fact: string,
  observe: (...args: Parameters<Observe>) => unknown,
  after: string[] = [],
): Source {
  return { fact: fact as ObservedName, observe: observe as Observe, after: after as ObservedName[] };
}

function request(
  names: string[],
  { signal = new AbortController().signal, ...rest }: Partial<ObserveRequest> & { signal?: AbortSignal } = {},
): ObserveRequest {
  return {
    info: { cwd: "/repo" } as ObserveRequest["info"],
    turn: 1,
    wanted: new Set(names) as Set<string> as ObserveRequest["wanted"],
    deadline: { signal, promptSignal: signal },
    ...rest,
  };
}

async function observed(sources: Source[], names: string[], rest: Parameters<typeof request>[1] = {}) {
  const results = await createObserver(sources, nodePlatform).observe(request(names, rest));
  return Object.fromEntries([...results].map(([name, { observed: what }]) => [name, what]));
}

const known = (value: unknown) => ({ known: true, value });

describe("asking sources", () => {
  it("asks only those that are wanted, and those they wait for", async () => {
    const asked: string[] = [];
    const note = (name: string) => () => asked.push(name);
    const sources = [source("a", note("a"), ["b"]), source("b", note("b")), source("c", note("c"))];
    await observed(sources, ["a", "nobody's"]);
    expect(asked).toEqual(["b", "a"]);
  });

  it("hands on what was found to those that wait for it, along a chain, in whatever order they were given", async () => {
    const plus = (name: string) => (turn: { observed: object }) =>
      `${(turn.observed as Record<string, string>)[name] ?? "nothing"}+`;
    const sources = [
      source("c", plus("b"), ["b"]),
      source("b", plus("a"), ["a"]),
      source("a", async () => "a"),
    ];
    expect(await observed(sources, ["c"])).toEqual({ a: known("a"), b: known("a+"), c: known("a++") });
  });

  it("does not wait for ever where two wait for each other, or for someone who is not there", async () => {
    const sources = [source("a", () => 1, ["b"]), source("b", () => 2, ["a"]), source("c", () => 3, ["d"])];
    expect(await observed(sources, ["a", "b", "c"])).toEqual({ a: known(1), b: known(2), c: known(3) });
  });

  it("takes the last one given for a fact: a host's own stands in for a built-in one", async () => {
    const asked: string[] = [];
    const sources = [source("a", () => asked.push("built-in")), source("a", () => "the host's")];
    expect(await observed(sources, ["a"])).toEqual({ a: known("the host's") });
    expect(asked).toEqual([]);
  });

  it("gives every source the turn's signal", async () => {
    const controller = new AbortController();
    const seen: AbortSignal[] = [];
    await observed([source("a", (_, signal) => seen.push(signal))], ["a"], { signal: controller.signal });
    expect(seen).toEqual([controller.signal]);
  });
});

describe("a source in trouble", () => {
  it("AC-4 costs only itself, whether it throws at once, later, or something that is no error", async () => {
    const sources = [
      source("sync", () => {
        throw new Error("at once");
      }),
      source("async", async () => {
        throw new Error("later");
      }),
      source("odd", () => Promise.reject("words")),
      source("getter", () => ({
        // biome-ignore lint/suspicious/noThenProperty: this is the trap
        get then() {
          throw new Error("no then");
        },
      })),
      source("fine", () => 1),
    ];
    expect(await observed(sources, ["sync", "async", "odd", "getter", "fine"])).toEqual({
      sync: { known: false, why: "the source of sync failed: at once" },
      async: { known: false, why: "the source of async failed: later" },
      odd: { known: false, why: "the source of odd failed: words" },
      getter: { known: false, why: "the source of getter failed: no then" },
      fine: known(1),
    });
  });

  it("AC-4 what a host's own source returns is checked if the fact is one of ours", async () => {
    const facts = [
      "planFile",
      "calendar",
      "fileChanges",
      "mentioned",
      "mentionedAgents",
      "mentionedResources",
    ];
    facts.push("sessionNotes", "userReminders", "restoredFiles", "instructions", "projectContext", "ideLink");
    facts.push("ideAccess", "diagnosticsAccess", "languageServers", "mail", "collab", "contextSections");
    for (const junk of [42, "junk", null, undefined, ["junk"]]) {
      const guard = { platform: nodePlatform, prepareMs: () => 1000 };
      const sources = [...facts, "its own"].map((fact) =>
        guardSource(
          source(fact, () => junk),
          guard,
        ),
      );
      const results = await createObserver(sources, nodePlatform).observe(request([...facts, "its own"]));
      const ready = [...results].filter(([, { status }]) => status === "ready");
      expect(ready.map(([fact]) => fact)).toEqual(["its own"]);
    }
  });

  it("AC-3 what it knew before stays while it cannot tell", async () => {
    let fails = false;
    const observer = createObserver(
      [
        source("a", async () => {
          if (fails) throw new Error("the server is down");
          return "known";
        }),
      ],
      nodePlatform,
    );
    const first = await observer.observe(request(["a"]));
    fails = true;
    const second = await observer.observe(request(["a"], { turn: 2 }));
    expect([...first.values(), ...second.values()].map(({ ms: _, ...rest }) => rest)).toEqual([
      { observed: known("known"), status: "ready", reason: "" },
      { observed: known("known"), status: "failed", reason: "the source of a failed: the server is down" },
    ]);
  });

  it("AC-3 an answer that comes too late is used the next time, and it is not asked twice at once", async () => {
    const answers: ((value: string) => void)[] = [];
    const slow = source("a", () => new Promise<string>((resolve) => answers.push(resolve)));
    const observer = createObserver([slow], nodePlatform);
    const ask = async (turn: number) => {
      const controller = new AbortController();
      const asked = observer.observe(request(["a"], { turn, signal: controller.signal }));
      await Promise.resolve();
      controller.abort();
      return [...(await asked).values()].map(({ observed: what, status }) => ({ what, status }));
    };
    expect((await ask(1))[0]?.status).toBe("timed out");
    expect((await ask(2))[0]?.status).toBe("timed out");
    expect(answers).toHaveLength(1);
    answers[0]?.("late");
    await new Promise((resolve) => setImmediate(resolve));
    expect(await ask(3)).toEqual([{ what: known("late"), status: "ready" }]);
    expect(answers).toHaveLength(2);
  });

  it("AC-4 rests for 10 turns after 3 failures in a row, says so, and is then asked again", async () => {
    let asked = 0;
    const observer = createObserver(
      [
        source("a", () => {
          asked++;
          throw new Error("broken");
        }),
      ],
      nodePlatform,
    );
    const told: string[] = [];
    for (let turn = 1; turn <= 16; turn++) {
      const [{ status, reason } = { status: "", reason: "" }] = (
        await observer.observe(request(["a"], { turn }))
      ).values();
      told.push(`${turn} ${status}: ${reason}`);
    }
    expect(asked).toBe(6);
    expect(told).toEqual([
      ...[1, 2, 3].map((turn) => `${turn} failed: the source of a failed: broken`),
      ...[4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map(
        (turn) => `${turn} resting: the source of a is resting until turn 14, after 3 failures in a row`,
      ),
      ...[14, 15, 16].map((turn) => `${turn} failed: the source of a failed: broken`),
    ]);
  });

  it("AC-4 a success in between begins the count anew", async () => {
    let asked = 0;
    const observer = createObserver(
      [
        source("a", () => {
          if (++asked % 3 !== 0) throw new Error("broken");
          return 1;
        }),
      ],
      nodePlatform,
    );
    for (let turn = 1; turn <= 12; turn++) await observer.observe(request(["a"], { turn }));
    expect(asked).toBe(12);
  });
});
