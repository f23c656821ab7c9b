// Witnesses: a type was said because of its real source, and the request shows it. The run's end makes a table of them.

import type { Entry } from "sotto/extend";
import { expect, TestRunner } from "vitest";

export interface Witness {
  type: string;
  /** What happened in the world. */
  source: string;
  /** Who did it. */
  process: string;
}

declare module "vitest" {
  interface TaskMeta {
    witnesses?: Witness[];
    /** Of the test that knows the catalogue: which types need a witness. */
    awaited?: string[];
  }
}

export interface Evidence {
  /** Bodies, as the model server received them. */
  requests: readonly unknown[];
  log: readonly Entry[];
  /** Types of the attachments of all turns: the silent ones are in no request. */
  attached?: readonly string[];
}

/** By the texts that the log has of this type, or by what the test knows of them. */
export function witness(
  type: string,
  { source, process }: Omit<Witness, "type">,
  evidence: Evidence | { requests: readonly unknown[]; pattern: RegExp },
): void {
  const isSeen = "pattern" in evidence ? matches(evidence) : isWitnessed(type, evidence);
  expect(isSeen, `${type} in a request`).toBe(true);
  note({ type, source, process });
}

/** Of a type that renders to nothing: it was attached, and no word of it is in a request. */
export function witnessSilent(
  type: string,
  { source, process }: Omit<Witness, "type">,
  { attached = [], log }: Evidence,
): void {
  expect(attached).toContain(type);
  expect(textsOf(type, log)).toEqual([]);
  note({ type, source, process });
}

/** Whether a text of this type stands in a request, to the letter. */
export function isWitnessed(type: string, { requests, log }: Evidence): boolean {
  const said = requests.flatMap(stringsIn);
  return textsOf(type, log).some((text) => said.some((one) => one.includes(text)));
}

function matches({ requests, pattern }: { requests: readonly unknown[]; pattern: RegExp }): boolean {
  return requests.flatMap(stringsIn).some((text) => pattern.test(text));
}

function note(one: Witness): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error("a witness is called by a test");
  test.meta.witnesses = [...(test.meta.witnesses ?? []), one];
}

function textsOf(type: string, log: readonly Entry[]): string[] {
  return log.flatMap((entry) =>
    entry.kind === "delivery" && entry.state === "offered" && entry.type === type
      ? entry.blocks.flatMap((block) => (block.type === "text" ? [block.text] : []))
      : [],
  );
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
