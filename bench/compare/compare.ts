// Measures this checkout and another commit in turns.

import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Results, Row } from "../bench.ts";
import { digits, figureText } from "../figures.ts";
import { machine } from "../report.ts";
import type { SuiteAbout } from "../suites.ts";
import { type Checkout, makeCheckout } from "./checkout.ts";
import { createProcesses, Interrupted, type Processes } from "./processes.ts";
import { type Comparison, compareRows } from "./verdict.ts";

export interface CompareOptions {
  suites: readonly SuiteAbout[];
  ref: string;
  repetitions: number;
  json: boolean;
}

const here = fileURLToPath(new URL("../..", import.meta.url));

/** The exit code: 1 if a row got worse, or failed here. */
export async function compareWith({ suites, ref, repetitions, json }: CompareOptions): Promise<number> {
  const processes = createProcesses();
  const other = makeCheckout(here, ref);
  try {
    if (suites.some(({ needsBuild }) => needsBuild === true))
      for (const root of [other.root, here]) {
        process.stderr.write(`building ${root} …\n`);
        await processes.run("npm", ["run", "build"], { cwd: root });
      }
    const turns = createTurns(processes, other);
    for (const { name } of suites) await turns.measure(name, repetitions);
    // What looks worse may have had bad luck: it gets as many turns again before it counts.
    for (const name of worseSuites(turns.comparison())) await turns.measure(name, repetitions);
    const comparison = turns.comparison();
    const result = { ref, ...comparison, failures: turns.failures() };
    console.log(json ? JSON.stringify({ machine: machine(), ...result }, null, 2) : reportOf(result));
    const isFine = worseSuites(comparison).length === 0 && result.failures.after.length === 0;
    return isFine ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return 130;
  } finally {
    processes.done();
    other.remove();
  }
}

function worseSuites({ rows }: Comparison): string[] {
  return [...new Set(rows.filter(({ verdict }) => verdict === "worse").map(({ suite }) => suite))];
}

/** Every turn is one process of each checkout, with one repetition; who goes first changes. */
function createTurns(processes: Processes, other: Checkout) {
  const sides = { before: createSide(), after: createSide() };
  const env = { ...process.env, TMPDIR: other.temporary };
  const measureOne = async (side: keyof typeof sides, suite: string) => {
    const root = side === "before" ? other.root : here;
    const flags = ["--conditions=sotto-source", "--expose-gc"];
    const bench = ["bench/main.ts", suite, "--json", "--no-baselines", "--repetitions", "1"];
    // 1: a row failed, and is named in the results.
    const text = await processes.run(process.execPath, [...flags, ...bench], {
      cwd: root,
      env,
      codes: [0, 1],
    });
    sides[side].add(JSON.parse(text) as JsonResults);
  };
  return {
    async measure(suite: string, count: number): Promise<void> {
      for (let turn = 0; turn < count; turn++) {
        process.stderr.write(`${suite}, turn ${turn + 1} of ${count} …\n`);
        const order = turn % 2 === 0 ? (["before", "after"] as const) : (["after", "before"] as const);
        for (const side of order) await measureOne(side, suite);
      }
    },
    comparison: (): Comparison => compareRows(sides.before.rows(), sides.after.rows()),
    failures: () => ({ before: sides.before.failures(), after: sides.after.failures() }),
  };
}

type JsonResults = Pick<Results, "failures"> & {
  rows: (Omit<Row, "ours"> & { ours: { samples: number[] } })[];
};

/** Gathers the figures of one checkout. */
function createSide() {
  const rows = new Map<string, Row & { ours: number[] }>();
  const failures = new Map<string, string>();
  return {
    add(results: JsonResults) {
      for (const { ours, ...row } of results.rows) {
        const known = rows.get(row.name);
        if (known === undefined) rows.set(row.name, { ...row, theirs: [], ours: ours.samples });
        else known.ours.push(...ours.samples);
      }
      for (const { name, problem } of results.failures) failures.set(name, problem.split("\n")[0] ?? "");
    },
    rows: () => [...rows.values()],
    failures: () => [...failures].map(([name, problem]) => ({ name, problem })),
  };
}

type Failed = { name: string; problem: string }[];

function reportOf({
  ref,
  rows,
  onlyBefore,
  onlyAfter,
  failures,
}: Comparison & { ref: string; failures: { before: Failed; after: Failed } }): string {
  const lines = rows.map(({ name, unit, before, after, ratio, verdict }) => {
    const words = verdict === "same" ? "" : verdict === "worse" ? "**worse**" : "better";
    return `| ${name} | ${figureText(before, unit)} | ${figureText(after, unit)} | ${digits(ratio)} | ${words} |`;
  });
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : ["", title, ...items.map((item) => `- ${item}`)];
  const failed = (items: Failed) => items.map(({ name, problem }) => `${name}: ${problem}`);
  return [
    `${machine()}. Cost: 1.2 is 20% more than at ${ref}.`,
    "",
    `| what | ${ref} | here | cost | |`,
    "|---|---|---|---|---|",
    ...lines,
    ...list(`Only at ${ref}:`, onlyBefore),
    ...list("Only here:", onlyAfter),
    ...list(`Failed at ${ref}:`, failed(failures.before)),
    ...list("Failed here:", failed(failures.after)),
  ].join("\n");
}
