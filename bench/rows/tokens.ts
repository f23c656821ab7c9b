// The estimate of tokens against a real tokenizer: how fast, how soon ready, and how far off, with characters / 4 beside it.

import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { estimateTokens } from "sotto/internal";
import type { Bench } from "../bench.ts";
import { median } from "../figures.ts";
import { type Encode, realTokenizer } from "../inputs/real-tokenizer.ts";

const ROUNDS = 3;
// Both are compiled by then.
const WARM_UP = 3;
const SIZE = 1_000_000;
/** What the estimate may be off in any class. */
const MOST_OFF = 15;
const root = new URL("../..", import.meta.url);

export async function measure(bench: Bench): Promise<void> {
  const module = realTokenizer();
  const { encode } = (await import(module)) as { encode: Encode };
  const texts = Object.entries(classes());
  for (const [name, text] of texts) await speed(bench, { name, text, encode });
  await loading(bench, module);
  for (const [name, text] of texts) await error(bench, { name, text, encode });
}

interface Text {
  name: string;
  text: string;
  encode: Encode;
}

async function speed(bench: Bench, { name, text, encode }: Text): Promise<void> {
  const bytes = Buffer.byteLength(text);
  const perSecond = (count: (text: string) => number, rounds = ROUNDS) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const from = performance.now();
      if (count(text) < text.length / 8) throw new Error("far too few tokens");
      times.push(performance.now() - from);
    }
    return bytes / 1000 / median(times);
  };
  const theirs = (one: string) => encode(one).length;
  perSecond(estimateTokens, WARM_UP);
  perSecond(theirs, 1);
  await bench.row({
    name: `count tokens, ${name}`,
    unit: "MB/s",
    baseline: "gpt-tokenizer 4, o200k",
    goal: { timesBetter: 20 },
    ours: () => perSecond(estimateTokens),
    theirs: () => perSecond(theirs, 1),
  });
}

/** In a process of its own each: until the first text is counted, the package with the estimate loaded already. */
async function loading(bench: Bench, module: string): Promise<void> {
  const ours =
    'import { estimateTokens as count } from "sotto/internal"; const from = performance.now(); const one = count("word");';
  const theirs = `const from = performance.now(); const { encode } = await import(${JSON.stringify(module)}); const one = encode("word").length;`;
  const end = " if (one !== 1) process.exit(1); console.log(performance.now() - from);";
  await bench.row({
    name: "ready to count the first word",
    unit: "ms",
    baseline: "gpt-tokenizer 4, o200k, imported",
    goal: { figure: 1 },
    ours: () => median(Array.from({ length: ROUNDS }, () => Number(node(ours + end)))),
    theirs: () => Number(node(theirs + end)),
  });
}

function node(code: string): string {
  return execFileSync(process.execPath, ["--conditions=sotto-source", "--input-type=module", "-e", code], {
    encoding: "utf8",
    cwd: fileURLToPath(root),
  });
}

async function error(bench: Bench, { name, text, encode }: Text): Promise<void> {
  const real = encode(text).length;
  const off = (count: number) => (100 * Math.abs(count - real)) / real;
  await bench.row({
    name: `error of the estimate, ${name}`,
    unit: "%",
    baseline: "characters / 4",
    goal: { figure: MOST_OFF },
    isFixed: true,
    ours: () => off(estimateTokens(text)),
    theirs: () => off(text.length / 4),
    note: () => `${real.toLocaleString("en")} tokens of o200k`,
  });
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
