import { describe, expect, it } from "vitest";
import { type FileEdge, namesOf, newsOf } from "./files.ts";

/** From one content to another, one letter each; `-` is none. */
function edges(steps: string, rest: Partial<FileEdge> = {}): FileEdge[] {
  return steps.split(" ").map((step, index) => {
    const [from = "", to = ""] = step.split(">");
    const after = { realPath: "/a", hash: to.toLowerCase(), kind: to === "I" ? "image" : "text" } as const;
    return {
      id: `files/${index}`,
      seq: index,
      realPath: "/a",
      path: "/a",
      change: to === "-" ? "deleted" : "edited",
      ...(from === "-" ? {} : { from: from.toLowerCase() }),
      ...(to === "-" ? {} : { after }),
      ...rest,
    } as FileEdge;
  });
}

const said = (steps: string) =>
  newsOf(edges(steps)).map(({ edges: told, covers }) => ({
    told: told.map(({ from = "-", after }) => `${from}>${after?.hash ?? "-"}`),
    covers: covers.length,
  }));

describe("what there is to say about a file", () => {
  it("is every change, where each builds on the one before", () => {
    expect(said("a>b b>c")).toEqual([{ told: ["a>b", "b>c"], covers: 2 }]);
  });

  it("is nothing where it is back where it was, gone and back included", () => {
    expect([said("a>b b>a"), said("a>- ->a"), said("a>b b>c c>b b>a")]).toEqual([[], [], []]);
  });

  it("leaves out detours, and covers them", () => {
    expect(said("a>b b>a a>c")).toEqual([{ told: ["a>c"], covers: 3 }]);
    expect(said("a>b b>c c>b b>d")).toEqual([{ told: ["a>b", "b>d"], covers: 4 }]);
  });

  it("is what it became, not what it was before it was gone or something else", () => {
    expect(said("a>b b>-")).toEqual([{ told: ["b>-"], covers: 2 }]);
    expect(said("a>- ->b b>c")).toEqual([{ told: ["->b", "b>c"], covers: 3 }]);
    expect(said("a>b b>I")).toEqual([{ told: ["b>i"], covers: 2 }]);
  });

  it("is not for the todo file, which is told as a list", () => {
    expect(newsOf(edges("a>b", { todos: [] }))).toEqual([]);
  });
});

describe("many files in one notice", () => {
  const news = (
    count: number,
    path: (index: number) => string,
    cause?: (index: number) => string | undefined,
  ) =>
    Array.from({ length: count }, (_, index) => {
      const by = cause?.(index);
      const rest = { path: path(index), realPath: path(index), ...(by === undefined ? {} : { cause: by }) };
      return newsOf(edges("a>b", rest));
    }).flat();

  it("are named up to fifty, or fewer where their names are long, and only those are told by it", () => {
    const short = namesOf(news(300, (index) => `/${index}`));
    const { filename, others, otherCount } = short.data;
    expect([filename, others.length, otherCount, short.covers.length]).toEqual(["/0", 50, 299, 51]);
    const long = namesOf(news(300, (index) => `/${index}${"x".repeat(1000)}`));
    expect([long.data.others.length, long.data.otherCount, long.covers.length]).toEqual([3, 299, 4]);
  });

  it("name who changed them where that is known of some", () => {
    const path = (index: number) => `/${index}`;
    expect(namesOf(news(3, path)).data.cause).toBeUndefined();
    expect(namesOf(news(3, path, () => "task b1")).data.cause).toBe("task b1");
    expect(namesOf(news(3, path, (index) => (index === 1 ? undefined : "task b1"))).data.cause).toBe(
      "task b1 or someone else",
    );
  });
});
