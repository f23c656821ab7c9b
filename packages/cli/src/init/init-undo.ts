// `sotto init --undo`: shows what would be taken back, asks, and takes it back.

import type { ExitCode } from "../../../agent/src/terminal/failure.ts";
import { agree } from "./agree.ts";
import type { InitCommand, InitPlace } from "./init-place.ts";
import { proposalBlock } from "./page.ts";
import { planUndo, type UndoPlan, undo } from "./undo.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { write, writeJson, writeLine } from "../output/write.ts";

export async function undoInit(command: InitCommand, place: InitPlace): Promise<ExitCode> {
  const { root, scope, ground, chosen, paper } = place;
  const plans = planUndo(root, scope, ground).filter(
    ({ agent }) => chosen.length === 0 || (agent !== undefined && chosen.includes(agent)),
  );
  const changing = plans.filter(({ change }) => change !== undefined);
  const settled = plans.filter(({ status }) => status === "gone" || status === "left");
  if (!command.json)
    await write(
      plans.length === 0
        ? `Nothing of Sotto is wired ${scope === "user" ? "for this user" : "in this project"}.\n`
        : `${plans.map((plan) => proposalBlock(plan, paper)).join("\n\n")}\n`,
    );
  const agreed = await agree(changing, command, "Undo");
  const quiet = command.dryRun || (command.json && !command.yes) ? [] : settled;
  if (agreed.length > 0 || changing.length === 0) undo(root, [...agreed, ...quiet]);
  const paths = agreed.map(({ path }) => path);
  if (command.json)
    await writeJson({
      project: place.project,
      scope,
      undo: plans.map((plan) => shown(plan, place)),
      written: paths,
    });
  else if (paths.length > 0)
    await writeLine(`\nTaken back: ${paths.map((path) => paper.short.path(path)).join(", ")}.`);
  if (command.dryRun || (command.json && !command.yes)) return 0;
  const isBlocked = plans.some(({ status }) => status === "blocked");
  return isBlocked || (changing.length > 0 && agreed.length === 0) ? 1 : 0;
}

function shown({ change, recorded, ...rest }: UndoPlan, { paper }: InitPlace) {
  return {
    ...rest,
    recorded: recorded !== undefined,
    ...(change === undefined ? {} : { diff: unifiedDiff(change, paper.short.path(change.path)) }),
  };
}
