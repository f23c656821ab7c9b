// Charts as an SVG: both axes logarithmic, each line with its name at its end.

export interface Line {
  name: string;
  /** Drawn dashed and grey. */
  isBaseline: boolean;
  points: [size: number, figure: number][];
}

export interface Chart {
  title: string;
  /** What the horizontal axis counts. */
  across: string;
  /** What the vertical axis measures. */
  up: string;
  lines: readonly Line[];
}

const WIDTH = 560;
const HEIGHT = 340;
const LEFT = 56;
const TOP = 46;
const BOTTOM = 46;
/** Room for the names of the lines. */
const RIGHT = 180;
const BETWEEN_NAMES = 15;

const STYLE = `
    svg { --paper: #ffffff; --ink: #1f2328; --faint: #59636e; --grid: #e3e6ea;
      --line-0: #0b62d6; --line-1: #a3470b; --line-2: #1a7f37; --baseline: #6e7781; }
    @media (prefers-color-scheme: dark) {
      svg { --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --grid: #2a3038;
        --line-0: #58a6ff; --line-1: #f0883e; --line-2: #56d364; --baseline: #a0a8b2; }
    }
    .paper { fill: var(--paper) }
    text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--faint) }
    .title { font-size: 15px; font-weight: 600; fill: var(--ink) }
    .grid { stroke: var(--grid) }
    .line { fill: none; stroke-width: 2; stroke-linejoin: round }
    .baseline { stroke-dasharray: 5 4 }`;

/** All charts on one sheet, two in a row. */
export function sheetOf(charts: readonly Chart[]): string {
  const [width, height] = [2 * WIDTH, Math.ceil(charts.length / 2) * HEIGHT];
  const parts = charts.map(
    (chart, index) =>
      `  <g transform="translate(${(index % 2) * WIDTH} ${Math.floor(index / 2) * HEIGHT})">\n${drawn(chart)}\n  </g>`,
  );
  const about = charts.map(({ title, up, across }) => `${title}: ${up} by ${across}`).join("; ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(about)}">
  <style>${STYLE}
  </style>
  <rect class="paper" width="${width}" height="${height}"/>
${parts.join("\n")}
</svg>
`;
}

function drawn({ title, across, up, lines }: Chart): string {
  const points = lines.flatMap((line) => line.points);
  const x = logScale(
    points.map(([size]) => size),
    [LEFT, WIDTH - RIGHT],
  );
  const y = logScale(
    points.map(([, figure]) => figure),
    [HEIGHT - BOTTOM, TOP],
  );
  const [from, to] = [x.from, x.to];
  return [
    text(title, { x: LEFT, y: 22, className: "title" }),
    text(up, { x: LEFT, y: 38 }),
    text(across, { x: (from + to) / 2, y: HEIGHT - 10, anchor: "middle" }),
    ...y.powers.flatMap((power) => [
      `<path class="grid" d="M${from} ${y.at(power)}H${to}"/>`,
      text(short(power), { x: from - 8, y: y.at(power) + 4, anchor: "end" }),
    ]),
    ...x.powers.flatMap((power) => [
      `<path class="grid" d="M${x.at(power)} ${y.to}V${y.from}"/>`,
      text(short(power), { x: x.at(power), y: y.from + 18, anchor: "middle" }),
    ]),
    ...lines.map((line, index) => curve(line, { x, y, color: colorOf(line, index) })),
    ...names(lines, { x, y }),
  ]
    .map((part) => `    ${part}`)
    .join("\n");
}

interface Scale {
  from: number;
  to: number;
  /** The powers of ten on the axis, its ends included. */
  powers: readonly number[];
  at(value: number): number;
}

export function logScale(values: readonly number[], [from, to]: readonly [number, number]): Scale {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    from,
    to,
    powers: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
    at: (value) => rounded(from + ((to - from) * (Math.log10(value) - low)) / (high - low)),
  };
}

interface Scales {
  x: Scale;
  y: Scale;
}

function curve({ points, isBaseline }: Line, { x, y, color }: Scales & { color: string }): string {
  const places = points.map(([size, figure]) => [x.at(size), y.at(figure)] as const);
  const path = places.map(([across, down], index) => `${index === 0 ? "M" : "L"}${across} ${down}`).join("");
  const dots = places.map(([across, down]) => `<circle cx="${across}" cy="${down}" r="3"/>`).join("");
  const className = isBaseline ? "line baseline" : "line";
  return `<path class="${className}" stroke="${color}" d="${path}"/><g fill="${color}">${dots}</g>`;
}

/** At the ends of their lines, moved apart where those are close. */
function names(lines: readonly Line[], { x, y }: Scales): string[] {
  const ends = lines.map(({ points }) => y.at(points.at(-1)?.[1] ?? 1));
  const places = spreadOut(ends, BETWEEN_NAMES);
  return lines.map((line, index) =>
    text(line.name, { x: x.to + 10, y: (places[index] as number) + 4, color: colorOf(line, index) }),
  );
}

function colorOf({ isBaseline }: Line, index: number): string {
  return isBaseline ? "var(--baseline)" : `var(--line-${index % 3})`;
}

/** The same places in the same order, but at least so far apart. */
export function spreadOut(places: readonly number[], apart: number): number[] {
  const order = places.map((_, index) => index).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  const result = [...places];
  let last = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    last = Math.max(places[index] ?? 0, last + apart);
    result[index] = last;
  }
  return result;
}

interface TextOptions {
  x: number;
  y: number;
  anchor?: "middle" | "end";
  className?: string;
  color?: string;
}

function text(words: string, { x, y, anchor, className, color }: TextOptions): string {
  const attributes = [
    `x="${rounded(x)}" y="${rounded(y)}"`,
    ...(anchor === undefined ? [] : [`text-anchor="${anchor}"`]),
    ...(className === undefined ? [] : [`class="${className}"`]),
    ...(color === undefined ? [] : [`style="fill:${color}"`]),
  ];
  return `<text ${attributes.join(" ")}>${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function short(power: number): string {
  return power.toLocaleString("en", { maximumFractionDigits: 9 });
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
