// Takes the measurements of a suite: each row beside its baseline, in turns, several times.

/** Gives one figure. It checks the result inside the timed part and throws if that is wrong. */
export type Measure = () => number | Promise<number>;

/** What a row should reach: a figure at most (a speed at least), or its relation to the baseline. */
export type Goal = { figure: number } | { timesBetter: number } | { timesWorse: number };

export interface RowPlan {
  name: string;
  unit: string;
  /** What the baseline does. */
  baseline: string;
  ours: Measure;
  theirs: Measure;
  goal?: Goal;
  /** Read after the measuring. */
  note?: () => string;
  /** The figure is the same each time: one repetition is enough. */
  isFixed?: boolean;
}

export interface Row {
  suite: string;
  name: string;
  unit: string;
  baseline: string;
  ours: readonly number[];
  /** Empty if baselines were left out. */
  theirs: readonly number[];
  goal?: Goal;
  note?: string;
}

export interface Failure {
  suite: string;
  name: string;
  problem: string;
}

export interface Results {
  rows: Row[];
  failures: Failure[];
}

export interface Bench {
  repetitions: number;
  /** For suites that measure both sides at once. */
  baselines: boolean;
  /** Measures a row. One that fails is reported at the end, and the others go on. */
  row(plan: RowPlan): Promise<void>;
}

/** Each suite in `rows/` exports this function. */
export type Suite = (bench: Bench) => Promise<void>;

export interface BenchOptions {
  repetitions: number;
  /** Without baselines a run is shorter; two checkouts are compared like that. */
  baselines: boolean;
}

export function createBench(suite: string, { repetitions, baselines }: BenchOptions) {
  const results: Results = { rows: [], failures: [] };
  const failed = (name: string, error: unknown) =>
    results.failures.push({ suite, name, problem: error instanceof Error ? error.message : String(error) });
  const bench: Bench = {
    repetitions,
    baselines,
    async row({ ours, theirs, note, isFixed = false, ...about }) {
      // Rows of two checkouts are matched by name.
      if (results.rows.some(({ name }) => name === about.name)) throw new Error(`two rows: ${about.name}`);
      const figures: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
      try {
        for (let repetition = 0; repetition < (isFixed ? 1 : repetitions); repetition++) {
          figures.ours.push(sound(await ours()));
          if (baselines) figures.theirs.push(sound(await theirs()));
        }
        results.rows.push({ suite, ...about, ...figures, ...(note === undefined ? {} : { note: note() }) });
      } catch (error) {
        failed(about.name, error);
      }
    },
  };
  return {
    results,
    async run(measure: Suite): Promise<Results> {
      await measure(bench).catch((error) => failed(suite, error));
      return results;
    },
  };
}

function sound(figure: number): number {
  if (!Number.isFinite(figure)) throw new Error(`measured ${figure}`);
  return figure;
}

/** How long something takes, in milliseconds. */
export async function timeOf(run: () => unknown): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}
