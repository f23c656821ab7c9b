// Writes the chosen changes, each after it is in the record: whatever happens then, it can be taken back.

import { failed } from "../../../agent/src/terminal/failure.ts";
import { ownHooks, withoutHooks } from "./merge-hooks.ts";
import type { FileChange } from "./plan.ts";
import { hashOf, type InitRecord, type RecordedFile, readRecord, writeRecord } from "./record.ts";
import { changeProblem, missingDirectories, writeChange } from "./write-change.ts";

/** Nothing is written unless all can be. */
export function apply(root: string, changes: readonly FileChange[]): void {
  const problems = changes.flatMap((change) => changeProblem(change) ?? []);
  if (problems.length > 0) throw failed(problems.join("; "), "not_written");
  for (const change of changes) {
    writeRecord(withChange(readRecord(root), change));
    writeChange(change);
  }
}

function withChange(record: InitRecord, change: FileChange): InitRecord {
  const { path, realPath, after = "" } = change;
  const known = record.files.find((file) => file.realPath === realPath);
  const others = record.files.filter((file) => file !== known);
  const file: RecordedFile = {
    path,
    realPath,
    before: beforeUs(change, known),
    afterHash: hashOf(after),
    madeDirectories: known?.madeDirectories ?? missingDirectories(realPath),
  };
  return { ...record, files: [...others, file] };
}

/** As it was without us, also where an earlier init had been there already. */
function beforeUs({ before }: FileChange, known: RecordedFile | undefined): string | null {
  if (before === undefined) return null;
  if (known !== undefined && known.afterHash === hashOf(before)) return known.before;
  if (ownHooks(before).length === 0) return before;
  const without = withoutHooks(before, known?.before ?? undefined);
  return "text" in without ? without.text : before;
}
