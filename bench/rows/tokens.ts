// The estimate of tokens against a real tokenizer: how fast, how soon ready, and how far off, with characters / 4 beside it.

import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { estimateTokens } from "sotto/internal";
import { type Encode, realTokenizer } from "./real-tokenizer.ts";
import { type BenchRow, median } from "./row.ts";

const ROUNDS = 9;
// Both are compiled by then.
const WARM_UP = 3;
const SIZE = 1_000_000;
/** What the estimate may be off in any class. */
const MOST_OFF = 15;
const root = new URL("..", import.meta.url);

export async function rows(): Promise<BenchRow[]> {
  const module = realTokenizer();
  const { encode } = (await import(module)) as { encode: Encode };
  const texts = Object.entries(classes());
  return [
    ...texts.map((one) => speed(one, encode)),
    loading(module),
    ...texts.map((one) => error(one, encode)),
  ];
}

function speed([name, text]: [string, string], encode: Encode): BenchRow {
  const bytes = Buffer.byteLength(text);
  const perSecond = (count: (text: string) => number) => {
    const times: number[] = [];
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const from = performance.now();
      const tokens = count(text);
      if (round >= WARM_UP) times.push(performance.now() - from);
      if (tokens < text.length / 8) throw new Error("far too few tokens");
    }
    return bytes / 1000 / median(times);
  };
  return {
    name: `count tokens, ${name}`,
    baseline: "gpt-tokenizer 4, o200k",
    ours: perSecond(estimateTokens),
    theirs: perSecond((one) => encode(one).length),
    unit: "MB/s",
  };
}

/** In a process of its own each: until the first text is counted, the package with the estimate loaded already. */
function loading(module: string): BenchRow {
  const ours =
    'import { estimateTokens as count } from "sotto"; const from = performance.now(); const one = count("word");';
  const theirs = `const from = performance.now(); const { encode } = await import(${JSON.stringify(module)}); const one = encode("word").length;`;
  const end = " const ms = performance.now() - from; if (one !== 1) process.exit(1); console.log(ms);";
  const run = (code: string) => median(Array.from({ length: ROUNDS }, () => Number(node(code + end))));
  return {
    name: "ready to count the first word",
    baseline: "gpt-tokenizer 4, o200k, imported",
    ours: run(ours),
    theirs: run(theirs),
    unit: "ms",
  };
}

function node(code: string): string {
  return execFileSync(process.execPath, ["--conditions=sotto-source", "--input-type=module", "-e", code], {
    encoding: "utf8",
    cwd: fileURLToPath(root),
  });
}

function error([name, text]: [string, string], encode: Encode): BenchRow {
  const real = encode(text).length;
  const off = (count: number) => (100 * Math.abs(count - real)) / real;
  const ours = off(estimateTokens(text));
  if (ours > MOST_OFF) throw new Error(`${name}: ${ours.toFixed(1)} % off`);
  return {
    name: `error of the estimate, ${name}`,
    baseline: "characters / 4",
    ours,
    theirs: off(text.length / 4),
    unit: "%",
    note: `${real.toLocaleString("en")} tokens of o200k`,
  };
}

/** Texts as agents meet them, none of which the estimate was fitted to. */
function classes(): Record<string, string> {
  return {
    English: prose(),
    code: joined([
      "node_modules/diff/libesm/**/*.js",
      "node_modules/vitest/dist/**/*.js",
      "packages/*/src/**/*.ts",
    ]),
    JSON: joined(["node_modules/*/package.json", "node_modules/@*/*/package.json", "package-lock.json"]),
    CJK: messages(["zh-cn", "zh-tw", "ja", "ko"]),
  };
}

function prose(): string {
  const pages = joined(["docs/**/*.md", "*.md", "node_modules/*/README.md", "node_modules/@*/*/README.md"]);
  // What people wrote as sentences: no tables, no code, no lists of links.
  return pages
    .replace(/^```.*?^```/gmsu, "")
    .split("\n")
    .filter((line) => /^[A-Z][^|<>{}]{60,}$/u.test(line))
    .join("\n");
}

/** The compiler's messages in other languages, as sentences one after the other. */
function messages(languages: readonly string[]): string {
  return languages
    .map((language) => {
      const file = new URL(`node_modules/typescript/lib/${language}/diagnosticMessages.generated.json`, root);
      const texts = Object.values(JSON.parse(readFileSync(file, "utf8")) as Record<string, string>);
      return texts.join("\n").slice(0, SIZE / languages.length);
    })
    .join("\n");
}

function joined(patterns: readonly string[]): string {
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: fileURLToPath(root) }).sort());
  let text = "";
  for (const file of files) if (text.length < SIZE) text += readFileSync(new URL(file, root), "utf8");
  return text.slice(0, SIZE);
}
