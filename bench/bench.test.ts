import { expect, it } from "vitest";
import { createBench } from "./bench.ts";

const plan = (name: string, ours: () => number, theirs = () => 1) => ({
  name,
  unit: "ms",
  baseline: "one",
  ours,
  theirs,
});

it("measures both sides in turns, as often as asked", async () => {
  const order: string[] = [];
  const note = (side: string) => () => {
    order.push(side);
    return order.length;
  };
  const { run } = createBench("turn", { repetitions: 2, baselines: true });
  expect(await run((bench) => bench.row(plan("one", note("ours"), note("theirs"))))).toEqual({
    rows: [{ suite: "turn", name: "one", unit: "ms", baseline: "one", ours: [1, 3], theirs: [2, 4] }],
    failures: [],
  });
  expect(order).toEqual(["ours", "theirs", "ours", "theirs"]);
});

it("a fixed figure is measured once, and baselines only if they are wanted", async () => {
  const { run } = createBench("turn", { repetitions: 5, baselines: false });
  const { rows } = await run((bench) => bench.row({ ...plan("one", () => 7), isFixed: true }));
  expect(rows).toEqual([{ suite: "turn", name: "one", unit: "ms", baseline: "one", ours: [7], theirs: [] }]);
});

it("a row with a wrong result is a failure, and the rows after it are measured", async () => {
  const { run } = createBench("turn", { repetitions: 1, baselines: true });
  const wrong = () => {
    throw new Error("the request changed");
  };
  const { rows, failures } = await run(async (bench) => {
    await bench.row(plan("wrong", wrong));
    await bench.row(plan("no figure", () => Number.NaN));
    await bench.row(plan("right", () => 1));
  });
  expect(rows.map(({ name }) => name)).toEqual(["right"]);
  expect(failures).toEqual([
    { suite: "turn", name: "wrong", problem: "the request changed" },
    { suite: "turn", name: "no figure", problem: "measured NaN" },
  ]);
});

it("two rows with one name are a failure of the suite: comparing goes by name", async () => {
  const { run } = createBench("turn", { repetitions: 1, baselines: true });
  const { failures } = await run(async (bench) => {
    await bench.row(plan("one", () => 1));
    await bench.row(plan("one", () => 2));
  });
  expect(failures).toEqual([{ suite: "turn", name: "turn", problem: "two rows: one" }]);
});
