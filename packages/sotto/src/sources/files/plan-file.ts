// The plan file: whether the one of the current mode exists, and its content if the model has not seen it yet.

import type { Settings } from "../../config/schema.ts";
import type { ObservedFacts } from "../../facts/facts.ts";
import type { Problem } from "../../platform/errors.ts";
import { absolutePath, defaultPlanPath } from "../../platform/paths.ts";
import type { Source, TurnInfo } from "../source.ts";
import { sameIfEqual } from "../steady.ts";
import type { FileAccess } from "./file-access.ts";
import { createPlanted, PLANTED, type Planted } from "./planted.ts";

export function createPlanFileSource(fileAccess: FileAccess): Source<"planFile"> {
  return new PlanFile(fileAccess);
}

type Observed = ObservedFacts["planFile"];

// A class, as each session has one.
class PlanFile implements Source<"planFile"> {
  readonly #fileAccess: FileAccess;
  readonly #planted: Planted;
  /** Start of the last view in which nothing was found. */
  #looked = 0;
  /** The same object is returned for as long as it is equal. */
  #last: Observed = { exists: false };

  constructor(fileAccess: FileAccess) {
    this.#fileAccess = fileAccess;
    this.#planted = createPlanted(fileAccess);
  }

  get fact() {
    return "planFile" as const;
  }

  observe(turn: TurnInfo): Promise<Observed> | Observed {
    const { mode, plan } = turn.facts;
    const isWanted = plan.wanted !== undefined && plan.wanted.seq !== this.#looked && isShown(turn);
    if (mode.planFilePath === undefined && !isWanted) return this.#keep({ exists: false });
    return this.#look(turn).then((found) => this.#keep(found));
  }

  problems(): Problem[] {
    return this.#planted.problems();
  }

  #keep(value: Observed): Observed {
    this.#last = sameIfEqual(this.#last, value);
    return this.#last;
  }

  async #look(turn: TurnInfo): Promise<Observed> {
    const fileAccess = this.#fileAccess;
    const { planFilePath } = turn.facts.mode;
    const { wanted } = turn.facts.plan;
    const path = planFilePath === undefined ? undefined : absolutePath(planFilePath, turn.cwd);
    const exists =
      path !== undefined && (await isFile(path, fileAccess)) && !(await this.#isPlanted(path, turn));
    if (wanted === undefined || wanted.seq === this.#looked || !isShown(turn)) return { exists };
    const found = await lookFor(turn, {
      fileAccess,
      isPlanted: (other) => this.#isPlanted(other, turn),
    });
    if ("content" in found) await turn.record([{ type: "plan_file_found", ...found }]);
    else if (!found.later) this.#looked = wanted.seq;
    return "untold" in found ? { exists, untold: found.untold } : { exists };
  }

  /** Whether it came with the project. What this session has written is its own, also if git tracks it. */
  async #isPlanted(path: string, { facts: { plan } }: TurnInfo): Promise<boolean> {
    if (!plan.own || plan.path !== path) return this.#planted.has(path);
    this.#planted.forget(path);
    return false;
  }
}

function isShown({ settings }: TurnInfo): boolean {
  return settings.types.get("plan_file_reference")?.enabled === true;
}

interface Untold {
  untold: string;
  /** It may be readable later. */
  later?: true;
}

interface Found {
  path: string;
  content: string;
  truncated?: true;
}

/** The file that the mode names, or this session's default; a sub-agent without one uses its parent's. */
async function lookFor(
  turn: TurnInfo,
  { fileAccess, isPlanted }: { fileAccess: FileAccess; isPlanted(path: string): Promise<boolean> },
): Promise<Found | Untold> {
  const { facts, settings, session, cwd } = turn;
  const { planFilePath, parentPlanFilePath } = facts.mode;
  const own =
    planFilePath === undefined
      ? defaultPlanPath(settings.plan_dir, session, cwd)
      : absolutePath(planFilePath, cwd);
  const isThereOwn = async () =>
    own !== undefined && (await isThere(own, fileAccess)) && !(await isPlanted(own));
  const isParents = parentPlanFilePath !== undefined && !(await isThereOwn());
  const path = isParents ? absolutePath(parentPlanFilePath, cwd) : own;
  if (path === undefined) return { untold: "no plan file is known" };
  const outside = await whyOutside(path, fileAccess);
  if (outside !== undefined) return { untold: `the plan file is not shown: ${outside}` };
  // Checked before the reader is loaded.
  if (!(await isThere(path, fileAccess)))
    return {
      untold:
        planFilePath === undefined ? "this session has no plan file" : `there is no plan file at ${path}`,
    };
  if (isInView(path, facts)) return { untold: "the model has the plan file in view" };
  if (await isPlanted(path)) return { untold: `${path} is not shown: ${PLANTED}`, later: true };
  return contentOf(path, fileAccess, settings);
}

/** Read or written, not only known from a parent. */
function isInView(path: string, { files, attached }: TurnInfo["facts"]): boolean {
  return Object.entries(files.tracked).some(([realPath, file]) => {
    const isPlan = realPath === path || file.path === path;
    return isPlan && !file.hidden && file.seen !== undefined && attached.unread[realPath] !== file.seen.hash;
  });
}

async function contentOf(path: string, fileAccess: FileAccess, settings: Settings): Promise<Found | Untold> {
  const [reader, { cutText }] = await Promise.all([fileAccess.reader(), import("../cut-text.ts")]);
  const outcome = await reader.read(path);
  if (outcome.kind === "unreadable")
    return { untold: `the plan file cannot be read now (${outcome.why})`, later: true };
  if (outcome.kind !== "text")
    return {
      untold: `the plan file is not shown: ${outcome.kind === "denied" ? outcome.rule : outcome.kind}`,
    };
  const { text, truncated } = cutText(outcome.text.replace(/^\uFEFF/u, "").trim(), {
    maxCharacters: settings.max_file_characters,
    maxLines: settings.max_file_lines,
  });
  if (text === "") return { untold: "the plan file is empty" };
  return { path, content: text, ...(truncated || outcome.truncated ? { truncated: true } : {}) };
}

async function isThere(path: string, fileAccess: FileAccess): Promise<boolean> {
  return isFile(path, fileAccess).catch(() => false);
}

/** A client that names a plan file must not learn what there is elsewhere. */
async function whyOutside(path: string, fileAccess: FileAccess): Promise<string | undefined> {
  if (!fileAccess.isHeld) return undefined;
  const access = await (await fileAccess.reader()).access(path);
  return access.kind === "denied" ? access.rule : undefined;
}

async function isFile(path: string, fileAccess: FileAccess): Promise<boolean> {
  if ((await whyOutside(path, fileAccess)) !== undefined) return false;
  // Loaded on first use: most sessions never plan.
  const { stat } = await import("node:fs/promises");
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}
