import { describe, expect, it } from "vitest";
import type { FileVersion, StoredEvent } from "./events.ts";
import { type FilesFact, files } from "./files.ts";
import { settleEdges } from "./pending.ts";

const version = (hash: string, realPath = "/r/a"): FileVersion => ({ realPath, hash, kind: "text" });
const read = (hash: string, rest: object = {}): StoredEvent => ({
  type: "file_read",
  path: "/p/a",
  version: version(hash),
  ...rest,
});
const changed = (hash: string, from: string): StoredEvent => ({
  type: "file_changed",
  path: "/p/a",
  realPath: "/r/a",
  change: "edited",
  version: version(hash),
  from,
  snippet: `${from} to ${hash}`,
});

/** The fact after events; `said` settles all that is pending. */
function fold(...steps: (StoredEvent | "said")[]): { fact: FilesFact; overtaken: string[] } {
  const fact = files.initial();
  const overtaken: string[] = [];
  for (const [index, step] of steps.entries())
    if (step === "said") {
      const edges = [...fact.pending];
      settleEdges(fact, new Set(edges.map(({ id }) => id)), { branch: "main", turn: 1 });
      for (const edge of edges) files.settled?.(fact, edge);
    } else
      files.apply(fact, step, {
        seq: index + 1,
        at: "",
        turns: 0,
        supersede: (_, reason) => overtaken.push(reason),
      });
  return { fact, overtaken };
}

const due = ({ fact }: ReturnType<typeof fold>) =>
  fact.pending.map(({ snippet, change }) => snippet ?? change);
const seen = ({ fact }: ReturnType<typeof fold>) => fact.tracked["/r/a"]?.seen?.hash;

describe("what the model has seen", () => {
  it("AC-11 is a whole read, by its real path, with the path as given", () => {
    expect(fold(read("1")).fact.tracked).toEqual({ "/r/a": { path: "/p/a", seen: version("1"), seq: 1 } });
  });

  it("AC-11 is not a read in part, nor is a whole read undone by one", () => {
    expect(fold(read("1", { offset: 2 })).fact.tracked).toEqual({});
    expect(seen(fold(read("1"), read("2", { limit: 5 })))).toBe("1");
  });

  it("AC-14 is what the agent wrote, and goes with what it removed", () => {
    const wrote: StoredEvent = { type: "file_written", path: "/p/a", version: version("2") };
    expect(seen(fold(read("1"), wrote))).toBe("2");
    const removed: StoredEvent = { type: "file_removed", path: "/p/a", realPath: "/r/a" };
    expect(fold(read("1"), removed).fact).toMatchObject({ tracked: {}, count: 0 });
  });

  it("AC-14 goes with a directory the agent removed, and with the path it was read under", () => {
    const gone = (rest: object) =>
      fold(read("1"), { type: "file_removed", ...rest } as StoredEvent).fact.count;
    expect([gone({ path: "/r" }), gone({ path: "/p" }), gone({ path: "/p/a" })]).toEqual([0, 0, 0]);
    expect([gone({ path: "/r/ab" }), gone({ path: "/", realPath: "/x" })]).toEqual([1, 1]);
  });

  it("is one file where a link that was read leads elsewhere by now", () => {
    const other: StoredEvent = { type: "file_read", path: "/p/a", version: version("2", "/r/b") };
    expect(fold(read("1"), other).fact).toMatchObject({
      tracked: { "/r/b": { path: "/p/a", seen: version("2", "/r/b") } },
      count: 1,
    });
  });

  it("is the new content once a change was said", () => {
    expect(seen(fold(read("1"), changed("2", "1"), "said"))).toBe("2");
  });

  it("is cleared with the session", () => {
    const clear: StoredEvent = { type: "session_started", reason: "clear" };
    expect(fold(read("1"), clear).fact).toMatchObject({ tracked: {}, count: 0, pending: [] });
  });
});

describe("changes", () => {
  it("are one notice, however many writes made it", () => {
    expect(due(fold(read("1"), changed("2", "1"), changed("3", "1")))).toEqual(["1 to 3"]);
  });

  it("stand beside one that is on its way", () => {
    expect(due(fold(read("1"), changed("2", "1"), changed("3", "2")))).toEqual(["1 to 2", "2 to 3"]);
  });

  it("found by two processes are one", () => {
    expect(due(fold(read("1"), changed("2", "1"), changed("2", "1")))).toEqual(["1 to 2"]);
  });

  it("are overtaken by a read, and by a file that is back as it was", () => {
    expect(due(fold(read("1"), changed("2", "1"), read("2")))).toEqual([]);
    const back: StoredEvent = { ...changed("1", "1"), change: "reverted" } as StoredEvent;
    const folded = fold(read("1"), changed("2", "1"), back);
    expect([due(folded), folded.overtaken]).toEqual([
      [],
      ["/p/a was back as it had been before the change was said"],
    ]);
  });

  it("compared with what the model has moved on from are nothing", () => {
    expect(due(fold(read("1"), changed("2", "1"), "said", changed("2", "1")))).toEqual([]);
    expect(due(fold(read("1"), changed("2", "1"), "said", changed("3", "1")))).toEqual([]);
    expect(due(fold(read("1"), read("2"), changed("3", "1")))).toEqual([]);
  });

  it("undo only what came behind what they are compared with", () => {
    const back: StoredEvent = { ...changed("2", "2"), change: "reverted" } as StoredEvent;
    expect(due(fold(read("1"), changed("2", "1"), changed("3", "2"), back))).toEqual(["1 to 2"]);
    expect(due(fold(read("1"), changed("2", "1"), changed("3", "2"), changed("4", "1")))).toEqual(["1 to 4"]);
  });

  it("that were said stay for branches that have not heard them, until the file is read", () => {
    const said = [read("1"), changed("2", "1"), "said", changed("3", "2"), "said"] as const;
    expect(fold(...said).fact.settled.map(({ snippet }) => snippet)).toEqual(["1 to 2", "2 to 3"]);
    expect(fold(...said, read("3")).fact.settled).toEqual([]);
  });

  it("name who made them only where that left what is there", () => {
    const task: StoredEvent = {
      type: "file_written",
      path: "/p/a",
      version: version("2"),
      cause: "task b1",
    };
    const causes = (...steps: (StoredEvent | "said")[]) =>
      fold(...steps).fact.pending.map(({ cause }) => cause);
    expect(causes(read("1"), task, changed("2", "1"))).toEqual(["task b1"]);
    expect(causes(read("1"), task, changed("3", "1"))).toEqual([undefined]);
    expect(causes(read("1"), task, changed("3", "1"), "said", changed("2", "3"))).toEqual([undefined]);
  });

  it("of files nobody has read are nothing", () => {
    expect(due(fold(changed("2", "1")))).toEqual([]);
  });
});

describe("after compaction", () => {
  it("the files in view are to come back, the latest first", () => {
    const other: StoredEvent = { type: "file_read", path: "/p/b", version: version("9", "/r/b") };
    const { fact } = fold(read("1"), other, { type: "compacted" });
    expect(fact.toRestore).toEqual(["/r/b", "/r/a"]);
    expect(fold(read("1"), { type: "compacted" }, { type: "files_restored" }).fact.toRestore).toEqual([]);
  });
});
