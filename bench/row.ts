// What a benchmark gives back: our figure beside a baseline's, measured in the same run.

export interface BenchRow {
  name: string;
  baseline: string;
  ours: number;
  theirs: number;
  unit: string;
  note?: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
