// The example cases of memory and mentions, with their virtual paths put under one temporary root.

import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Tree } from "./memory-files.ts";

export interface Reading {
  readPath: string;
  expectIncluded: string[];
  expectExcluded: string[];
}

export interface RuleCase extends Tree, Reading {
  id: string;
  topic: string;
  cwd: string;
  home: string;
  managedDir: string;
  then?: Reading[];
  alsoAccept?: { included: string[] }[];
}

export interface ImportCase extends Tree {
  id: string;
  topic: string;
  root: string;
  cwd: string;
  home: string;
  includeExternal: boolean;
  expectOrder: string[];
  expectExcluded: string[];
  alsoAccept?: string[][];
  alreadyProcessed?: string[];
  contentCheck?: { fullLength?: Record<string, number>; maybeTruncated?: string[] };
}

export interface Attached {
  files: { path: string; lineStart?: number; lineEnd?: number }[];
  dirs: string[];
  mcp: { server: string; uri: string }[];
  agents: string[];
}

export interface MentionCase {
  id: string;
  topic: string;
  prompt: string;
  tree: string[];
  servers: Record<string, { connected: boolean }>;
  agents: string[];
  expect: Attached;
  alsoAccept?: Attached[];
  ordered?: boolean;
}

export const ruleCases = casesOf<RuleCase>("rules");
export const importCases = casesOf<ImportCase>("imports");
export const mentionCases = casesOf<MentionCase>("mentions");

function casesOf<Case>(name: string): Case[] {
  const text = readFileSync(new URL(`cases/${name}.json`, import.meta.url), "utf8");
  return (JSON.parse(text) as { cases: Case[] }).cases;
}

/** A real path, gone when the test ends. */
export function temporaryRoot(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-cases-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}
