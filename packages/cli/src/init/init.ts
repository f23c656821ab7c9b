// `sotto init`: looks at a project and at the machine, shows what it would wire, and writes what is agreed to.

import { type ExitCode, wrongUse } from "../../../agent/src/terminal/failure.ts";
import { type AgentName, agents } from "./coding-agents.ts";
import { agree } from "./agree.ts";
import { apply } from "./changes.ts";
import { findAgents } from "./find-agents.ts";
import { type FoundFramework, findFrameworks } from "./frameworks.ts";
import { type InitCommand, type InitPlace, initPlace } from "./init-place.ts";
import { frameworkBlock, proposalBlock } from "./page.ts";
import { type FileChange, type Proposal, planAgent } from "./plan.ts";
import { planConfig } from "./plan-config.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { count } from "../../../agent/src/terminal/text.ts";
import { note, write, writeJson, writeLine } from "../output/write.ts";
import { undoInit } from "./init-undo.ts";

interface Found {
  proposals: Proposal[];
  frameworks: FoundFramework[];
  notFound: AgentName[];
}

export async function init(command: InitCommand): Promise<ExitCode> {
  if (command.undo && command.config) throw wrongUse("--undo and --config: give one of them");
  if (command.yes && command.dryRun) throw wrongUse("--yes and --dry-run: give one of them");
  const place = initPlace(command);
  if (command.undo) return undoInit(command, place);
  const found = look(command, place);
  const changing = found.proposals.filter(({ change }) => change !== undefined);
  if (!command.json) await write(page(found, place));
  const agreed = await agree(changing, command, "Wire");
  const changes = agreed.flatMap(({ change }) => change ?? []);
  apply(place.root, changes);
  if (command.json) await writeJson(toJson(found, place, changes));
  else if (changes.length > 0)
    await writeLine(
      `\nWritten: ${changes.map(({ path }) => place.paper.short.path(path)).join(", ")}. \`sotto init --undo${command.user ? " --user" : ""}\` takes it back.`,
    );
  return exitCode(command, { found, changes: changing.length, written: changes.length });
}

function look({ config }: InitCommand, { project, scope, chosen, ground }: InitPlace): Found {
  const all = findAgents(ground);
  const wanted = all.filter(({ agent, signs }) =>
    chosen.length > 0 ? chosen.includes(agent) : signs.length > 0,
  );
  const notFound = all.filter((one) => chosen.length === 0 && one.signs.length === 0);
  return {
    proposals: [
      ...wanted.map((one) => planAgent(one, scope, ground)),
      ...(config ? [planConfig(project)] : []),
    ],
    frameworks: scope === "user" || chosen.length > 0 ? [] : findFrameworks(project),
    notFound: notFound.map(({ agent }) => agent),
  };
}

function page({ proposals, frameworks, notFound }: Found, { paper }: InitPlace): string {
  const absent =
    notFound.length === 0
      ? []
      : [
          paper.style.dim(
            `Not found here: ${notFound.map((agent) => agents[agent].title).join(", ")}. --agent ${notFound[0]} wires it all the same.`,
          ),
        ];
  const blocks = [
    ...proposals.map((proposal) => proposalBlock(proposal, paper)),
    ...frameworks.map((framework) => frameworkBlock(framework, paper)),
    ...absent,
  ];
  return `${blocks.join("\n\n")}\n`;
}

function toJson(
  { proposals, frameworks, notFound }: Found,
  place: InitPlace,
  changes: readonly FileChange[],
) {
  const { project, scope, paper } = place;
  return {
    project,
    scope,
    proposals: proposals.map(({ change, ...rest }) => ({
      ...rest,
      ...(change === undefined
        ? {}
        : { file: change.path, diff: unifiedDiff(change, paper.short.path(change.path)) }),
    })),
    frameworks,
    notFound,
    written: changes.map(({ path }) => path),
  };
}

function exitCode(
  { dryRun, json, yes }: InitCommand,
  { found, changes, written }: { found: Found; changes: number; written: number },
): ExitCode {
  if (dryRun || (json && !yes)) return 0;
  const blocked = found.proposals.filter(({ status }) => status === "blocked");
  if (blocked.length > 0)
    note(`${count(blocked.length, "proposal")} could not be carried out, as said above`);
  return blocked.length > 0 || (changes > 0 && written === 0) ? 1 : 0;
}
