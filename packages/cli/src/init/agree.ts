// What may be written: all, what was agreed to at the terminal, or nothing.

import process from "node:process";
import { failed } from "../../../agent/src/terminal/failure.ts";
import { note } from "../output/write.ts";
import { ask } from "./ask.ts";
import type { InitCommand } from "./init-place.ts";

export async function agree<T extends { title: string }>(
  items: readonly T[],
  { yes, dryRun, json }: InitCommand,
  verb: string,
): Promise<readonly T[]> {
  if (items.length === 0 || dryRun) return [];
  if (yes) return items;
  if (json) return [];
  if (process.stdin.isTTY !== true)
    throw failed(
      "nobody is here to be asked, so nothing is written: --yes writes it, --dry-run only shows",
      "not_confirmed",
    );
  const agreed = await ask(items, verb);
  if (agreed.length === 0) note("nothing was changed");
  return agreed;
}
