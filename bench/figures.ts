// Figures of several repetitions: their middle, how far they are apart, and how two of them compare.

export interface Summary {
  median: number;
  /** Half of the distance between the quartiles: half of the repetitions are this close to the middle. */
  spread: number;
}

export function summary(samples: readonly number[]): Summary {
  return { median: quantile(samples, 0.5), spread: (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 };
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** Between two samples the value is in proportion. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
}

/** Of a speed more is better, of everything else less. */
export function isSpeed(unit: string): boolean {
  return unit.endsWith("/s");
}

/** How many times better the first is than the second; below 1 it is worse. */
export function timesBetter(figure: number, other: number, unit: string): number {
  return isSpeed(unit) ? figure / other : other / figure;
}

export function timesText(better: number): string {
  return better >= 1 ? `${digits(better)}× better` : `${digits(1 / better)}× worse`;
}

export function figureText({ median: middle, spread }: Summary, unit: string): string {
  // A spread of less than a thousandth says nothing.
  return `${digits(middle)} ±${spread < middle / 1000 ? "0" : digits(spread, 2)}${unit === "%" ? "" : " "}${unit}`;
}

export function digits(value: number, precision = 3): string {
  if (Math.abs(value) >= 10 ** (precision - 1)) return Math.round(value).toLocaleString("en");
  return Number(value.toPrecision(precision)).toLocaleString("en", { maximumFractionDigits: 20 });
}
