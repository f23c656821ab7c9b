// `sotto init`: sets up Sotto in the coding agents of a project.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { didYouMean } from "sotto/internal";
import {
  count,
  createShortPaths,
  createStyle,
  type ExitCode,
  failed,
  usageError,
} from "sotto-agent/terminal";
import { apply, planUndo, type UndoPlan, undo } from "../init/changes.ts";
import { codingAgents, findAgents, type Places, placesOf, type Scope } from "../init/coding-agents.ts";
import { compileHook } from "../init/compile-hook.ts";
import { type FoundFramework, findFrameworks } from "../init/frameworks.ts";
import { type AgentName, agentNames } from "../init/hook-table.ts";
import { frameworkBlock, type PageStyle, proposalBlock, unifiedDiff } from "../init/page.ts";
import { type FileChange, type Proposal, planAgent, planConfig } from "../init/plan.ts";
import { existingDirectory } from "../input/arguments.ts";
import { canAsk, isYes, openQuestions } from "../input/confirm.ts";
import { note, write, writeJson, writeLine } from "../output/write.ts";
import { type Define, examples, json, repeatable } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Looks for coding agents (Claude Code, Codex, Gemini CLI, Qwen Code) and for libraries that call models. Shows each change to an agent's settings as a diff, asks, and writes the changes you accept. For libraries it prints the lines to add. Everything else in a settings file stays the same, byte for byte.",
    )
    .argument("[dir]", "the project (default: current directory)")
    .addOption(repeatable("--agent <name>", "only this agent, even if it was not found; repeatable"))
    .option("--user", "change your own settings, for all your projects")
    .option("--config", "also create a starter sotto.toml")
    .option("-y, --yes", "write without asking")
    .option("--dry-run", "show the changes, write nothing")
    .option("--undo", "remove what init added, and nothing else")
    .addOption(json("the plan, and what was written; never asks, writes only with --yes"))
    .addHelpText(
      "after",
      examples(
        "sotto init",
        "sotto init --agent claude-code --yes",
        "sotto init --user --dry-run",
        "sotto init --undo",
      ),
    )
    .action(action(init));

interface Found {
  proposals: Proposal[];
  frameworks: FoundFramework[];
  notFound: AgentName[];
}

async function init(command: InitCommand): Promise<ExitCode> {
  if (command.undo && command.config) throw usageError("--undo and --config cannot be combined");
  if (command.yes && command.dryRun) throw usageError("--yes and --dry-run cannot be combined");
  const place = initPlace(command);
  if (command.undo) return undoInit(command, place);
  const found = look(command, place);
  const changing = found.proposals.filter(({ change }) => change !== undefined);
  if (!command.json) await write(page(found, place));
  const agreed = await agree(changing, command, "Set up");
  const changes = agreed.flatMap(({ change }) => change ?? []);
  apply(place.root, changes);
  if (changes.length > 0) compileHook();
  if (command.json) await writeJson(toJson(found, place, changes));
  else if (changes.length > 0)
    await writeLine(
      `\nWritten: ${changes.map(({ path }) => place.pageStyle.short.path(path)).join(", ")}. Undo with \`sotto init --undo${command.user ? " --user" : ""}\`.`,
    );
  return exitCode(command, { found, changes: changing.length, written: changes.length });
}

function look({ config }: InitCommand, { project, scope, chosen, places }: InitPlace): Found {
  const all = findAgents(places);
  const wanted = all.filter(({ agent, signs }) =>
    chosen.length > 0 ? chosen.includes(agent) : signs.length > 0,
  );
  const notFound = all.filter((one) => chosen.length === 0 && one.signs.length === 0);
  return {
    proposals: [
      ...wanted.map((one) => planAgent(one, scope, places)),
      ...(config ? [planConfig(project)] : []),
    ],
    frameworks: scope === "user" || chosen.length > 0 ? [] : findFrameworks(project),
    notFound: notFound.map(({ agent }) => agent),
  };
}

function page({ proposals, frameworks, notFound }: Found, { pageStyle }: InitPlace): string {
  const absent =
    notFound.length === 0
      ? []
      : [
          pageStyle.style.dim(
            `Not found: ${notFound.map((agent) => codingAgents[agent].title).join(", ")}. Use --agent ${notFound[0]} to set it up anyway.`,
          ),
        ];
  const blocks = [
    ...proposals.map((proposal) => proposalBlock(proposal, pageStyle)),
    ...frameworks.map((framework) => frameworkBlock(framework, pageStyle)),
    ...absent,
  ];
  return `${blocks.join("\n\n")}\n`;
}

function toJson(
  { proposals, frameworks, notFound }: Found,
  place: InitPlace,
  changes: readonly FileChange[],
) {
  const { project, scope, pageStyle } = place;
  return {
    project,
    scope,
    proposals: proposals.map(({ change, ...rest }) => ({
      ...rest,
      ...(change === undefined
        ? {}
        : { file: change.path, diff: unifiedDiff(change, pageStyle.short.path(change.path)) }),
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
  if (blocked.length > 0) note(`${count(blocked.length, "change")} not possible, see above`);
  return blocked.length > 0 || (changes > 0 && written === 0) ? 1 : 0;
}

async function undoInit(command: InitCommand, place: InitPlace): Promise<ExitCode> {
  const { root, scope, places, chosen, pageStyle } = place;
  const plans = planUndo(root, scope, places).filter(
    ({ agent }) => chosen.length === 0 || (agent !== undefined && chosen.includes(agent)),
  );
  const changing = plans.filter(({ change }) => change !== undefined);
  const settled = plans.filter(({ status }) => status === "gone" || status === "left");
  if (!command.json)
    await write(
      plans.length === 0
        ? `Sotto is not set up ${scope === "user" ? "for this user" : "in this project"}.\n`
        : `${plans.map((plan) => proposalBlock(plan, pageStyle)).join("\n\n")}\n`,
    );
  const agreed = await agree(changing, command, "Undo");
  const unchanged = command.dryRun || (command.json && !command.yes) ? [] : settled;
  if (agreed.length > 0 || changing.length === 0) undo(root, [...agreed, ...unchanged]);
  const paths = agreed.map(({ path }) => path);
  if (command.json)
    await writeJson({
      project: place.project,
      scope,
      undo: plans.map((plan) => shown(plan, place)),
      written: paths,
    });
  else if (paths.length > 0)
    await writeLine(`\nUndone: ${paths.map((path) => pageStyle.short.path(path)).join(", ")}.`);
  if (command.dryRun || (command.json && !command.yes)) return 0;
  const isBlocked = plans.some(({ status }) => status === "blocked");
  return isBlocked || (changing.length > 0 && agreed.length === 0) ? 1 : 0;
}

function shown({ change, recorded, ...rest }: UndoPlan, { pageStyle }: InitPlace) {
  return {
    ...rest,
    recorded: recorded !== undefined,
    ...(change === undefined ? {} : { diff: unifiedDiff(change, pageStyle.short.path(change.path)) }),
  };
}

interface InitCommand {
  dir?: string;
  user?: boolean;
  agent?: string[];
  config?: boolean;
  undo?: boolean;
  yes?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

interface InitPlace {
  project: string;
  scope: Scope;
  /** The project or home directory whose changes are recorded. */
  root: string;
  chosen: AgentName[];
  places: Places;
  pageStyle: PageStyle;
}

function initPlace({ dir, user = false, agent = [] }: InitCommand): InitPlace {
  const project = realpathSync(existingDirectory(dir, "DIR"));
  const home = homedir();
  if (!user && project === realOr(home))
    throw usageError("this is your home directory: run it in a project, or use --user for all projects");
  const chosen = agent.map(agentNamed);
  const short = createShortPaths({ cwd: project, home });
  return {
    project,
    scope: user ? "user" : "project",
    root: user ? realOr(home) : project,
    chosen,
    places: placesOf(project, home),
    pageStyle: { style: createStyle(), short },
  };
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function agentNamed(name: string): AgentName {
  const found = agentNames.find((agent) => agent === name || codingAgents[agent].binary === name);
  if (found !== undefined) return found;
  // pi has extensions instead of hooks.
  if (name === "pi")
    throw usageError(
      "--agent pi: use `pi install` with plugins/pi of sotto-cli instead (see docs/guide/in-pi.md)",
    );
  throw usageError(
    `--agent ${name}: unknown agent${didYouMean(name, agentNames)}; expected one of ${agentNames.join(", ")}`,
  );
}

async function agree<T extends { title: string }>(
  items: readonly T[],
  { yes, dryRun, json }: InitCommand,
  verb: string,
): Promise<readonly T[]> {
  if (items.length === 0 || dryRun) return [];
  if (yes) return items;
  if (json) return [];
  if (!canAsk())
    throw failed(
      "stdin is not a terminal, so nothing was written: use --yes to write, --dry-run to show",
      "not_confirmed",
    );
  const agreed = await ask(items, verb);
  if (agreed.length === 0) note("nothing changed");
  return agreed;
}

/** Asks about each item. Ctrl-C, Ctrl-D and `q` decline all of them, whatever was answered before. */
async function ask<T extends { title: string }>(items: readonly T[], verb: string): Promise<readonly T[]> {
  const questions = openQuestions();
  const agreed: T[] = [];
  try {
    for (const [index, item] of items.entries()) {
      const isLast = index === items.length - 1;
      const choices = isLast ? "[y/N]" : "[y/N, a: this and all others, q: none]";
      const answer = await questions.ask(`${verb} ${item.title}? ${choices} `);
      if (answer === undefined || /^q(?:uit)?$/u.test(answer)) return [];
      if (/^a(?:ll)?$/u.test(answer)) return [...agreed, ...items.slice(index)];
      if (isYes(answer)) agreed.push(item);
    }
    return agreed;
  } finally {
    questions.close();
  }
}
