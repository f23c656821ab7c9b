// Instruction discovery for a session, with its file access and the current config.

import type { Settings } from "../../config/schema.ts";
import { absolutePath, below, joined, parentOf } from "../../platform/paths.ts";
import type { Job } from "../../platform/platform.ts";
import type { FileAccess, SharedFiles } from "../files/file-access.ts";
import { mapTwoAtOnce } from "../files/io-limit.ts";
import { notTaken } from "../trust/outside-project.ts";
import { createMemoryCache } from "./cache.ts";
import { type Layout, loadLayout } from "./layout.ts";
import { nestedResult, sessionResult } from "./order.ts";
import { createPlans, type Plan, type Spec, type Touched } from "./plan.ts";
import { createReaderFiles } from "./reader-files.ts";
import {
  type InstructionsResult,
  type MemoryOptions,
  memorySettings,
  settingsFromConfig,
  type Touch,
} from "./types.ts";

/** The settings that it depends on. */
export type MemorySource = Pick<Settings, "memory" | "max_file_characters" | "max_file_lines">;

export interface OpenMemoryOptions {
  fileAccess: FileAccess;
  config: MemorySource;
  work(job: Job): Promise<unknown>;
}

export async function openInstructions({ fileAccess, config, work }: OpenMemoryOptions): Promise<Memory> {
  const shown = { maxCharacters: config.max_file_characters, maxLines: config.max_file_lines };
  const given = settingsFromConfig(config.memory);
  const settings = memorySettings(fileAccess, {
    ...(fileAccess.managed === undefined
      ? {}
      : { managedDir: fileAccess.managed.directory, managedOwner: fileAccess.managed.owner }),
    ...given,
    ...(given.managedDir === undefined ? {} : { managedOwner: undefined }),
    shown,
    ...(fileAccess.takes("user_instructions")
      ? {}
      : { userSettings: false, userOff: notTaken("user_instructions") }),
    aboveProject: fileAccess.takes("above_project"),
  });
  const { cwd, home, managedDir } = settings;
  const mounts = managedDir === undefined ? [cwd, home] : [cwd, home, managedDir];
  const files = createReaderFiles({ reader: await fileAccess.reader(), mounts });
  return createMemory({ ...settings, files, work, uid: process.getuid?.() });
}

/** One discovery for all callers, another one when the config changes. */
export interface InstructionsHolder {
  open(turn: Pick<OpenMemoryOptions, "work"> & { config: MemorySource }): Promise<Memory>;
  /** Gives it back: it is opened again when needed. */
  forget(): void;
}

export function createInstructionsHolder(fileAccess: FileAccess): InstructionsHolder {
  return new Holder(fileAccess);
}

// A class, as each session has one.
class Holder implements InstructionsHolder {
  readonly #fileAccess: FileAccess;
  #memory: Promise<Memory> | undefined;
  /** What it was opened for. */
  #config: string | undefined;

  constructor(fileAccess: FileAccess) {
    this.#fileAccess = fileAccess;
  }

  open({ config, work }: Pick<OpenMemoryOptions, "work" | "config">): Promise<Memory> {
    const text = JSON.stringify([config.memory, config.max_file_characters, config.max_file_lines]);
    if (this.#memory !== undefined && this.#config === text) return this.#memory;
    this.#config = text;
    this.#memory = sharedMemory(text, { fileAccess: this.#fileAccess, config, work });
    return this.#memory;
  }

  forget(): void {
    this.#memory = undefined;
  }
}

// Answers are checked against the disk each time, so sessions that read the same files in the same way share them.
const memories = new WeakMap<SharedFiles, Map<string, WeakRef<Memory>>>();

async function sharedMemory(config: string, options: OpenMemoryOptions): Promise<Memory> {
  const files = await options.fileAccess.shared().catch(() => undefined);
  if (files === undefined) return openInstructions(options);
  const known = memories.get(files) ?? new Map<string, WeakRef<Memory>>();
  memories.set(files, known);
  const found = known.get(config)?.deref() ?? (await openInstructions(options));
  // Of two that were opened at once, the first one stays.
  const memory = known.get(config)?.deref() ?? found;
  known.set(config, new WeakRef(memory));
  for (const [key, one] of known) if (one.deref() === undefined) known.delete(key);
  return memory;
}

// Which instruction files and rules are about a path, and which hold from the start. Answers are cached and stay
// right: every question checks what its answer depends on, and concurrent questions share one check.

export interface Memory {
  /** What touching a path loads, besides what holds from the start. */
  nested(touch: Touch): Promise<InstructionsResult>;
  /** What holds from the start: at once if it is seen at once that nothing has changed. */
  session(): Promise<InstructionsResult> | InstructionsResult;
}

interface Question {
  /** Absent: what holds from the start. */
  touch?: Touch | undefined;
  resolve(result: InstructionsResult): void;
  reject(error: unknown): void;
}

/** A question and its place in the tree, with its answer once there is one. */
interface Matter {
  realPath?: string | undefined;
  layout: Layout;
  /** Absent if no instructions can be about the path. */
  plan?: Plan;
  touched?: Touched;
  units?: readonly Spec["unit"][];
  result?: InstructionsResult;
}

const KEPT_MATTERS = 5000;

export function createMemory(options: MemoryOptions): Memory {
  const { cwd, files } = options;
  const cache = createMemoryCache(files, options.now ?? Date.now);
  const plans = createPlans(options);
  const matters = new Map<string, Matter>();
  let waiting: Question[] = [];
  let isRunning = false;
  let layout: Layout | undefined;

  const ask = (touch?: Touch) =>
    new Promise<InstructionsResult>((resolve, reject) => {
      waiting.push({ touch, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // After everything else that is asked now, so that one check serves all.
      queueMicrotask(drain);
    });
  const drain = async () => {
    while (waiting.length > 0) {
      const questions = waiting;
      waiting = [];
      try {
        await answerAll(questions);
      } catch (error) {
        for (const { reject } of questions) reject(error);
      }
    }
    isRunning = false;
  };

  const answerAll = async (questions: readonly Question[]) => {
    let here = layout ?? (await loadLayout(options, cache));
    let asked = await mattersOf(questions, here);
    const known = [...specsOf(asked)].flatMap(({ unit }) => unit ?? []);
    const stale: ReadonlySet<unknown> = await cache.stale(layout === undefined ? known : [layout, ...known]);
    if (stale.has(here)) {
      here = await loadLayout(options, cache);
      asked = await mattersOf(questions, here);
    }
    layout = here;
    const context = { options, cache, layout: here };
    const missing = [...specsOf(asked)].filter(({ unit }) => unit === undefined || stale.has(unit));
    await mapTwoAtOnce(missing, async (spec) => {
      spec.unit = await spec.load(context);
    });
    for (const [index, { touch, resolve }] of questions.entries())
      resolve(answer(asked[index] as Matter, touch));
  };

  /** The same answer again while everything it depends on is the same. */
  const answer = (matter: Matter, touch: Touch | undefined): InstructionsResult => {
    const { plan, touched, units } = matter;
    if (plan === undefined) return nothing(absolutePath(touch?.path ?? "", cwd), cwd);
    if (matter.result !== undefined && plan.specs.every(({ unit }, index) => unit === units?.[index]))
      return matter.result;
    const parts = plan.parts(matter.layout);
    matter.result = touched === undefined ? sessionResult(parts) : nestedResult(parts, touched);
    matter.units = plan.specs.map(({ unit }) => unit);
    return matter.result;
  };

  const mattersOf = async (questions: readonly Question[], here: Layout): Promise<Matter[]> => {
    const found: Matter[] = [];
    const unresolved = questions.flatMap(({ touch }) =>
      touch && touch.realPath === undefined ? [touch.path] : [],
    );
    const resolved = new Map(
      await mapTwoAtOnce(
        unresolved,
        async (path) => [path, await realPathOf(absolutePath(path, cwd))] as const,
      ),
    );
    for (const { touch } of questions) {
      const key = touch?.path ?? "";
      const realPath = touch && (touch.realPath ?? resolved.get(touch.path));
      const known = matters.get(key);
      const isSame = known !== undefined && known.layout === here && known.realPath === realPath;
      const matter = isSame ? known : matterOf(touch, realPath, here);
      found.push(matter);
      if (isSame) continue;
      if (matters.size >= KEPT_MATTERS) matters.clear();
      matters.set(key, matter);
    }
    return found;
  };
  const matterOf = (touch: Touch | undefined, realPath: string | undefined, here: Layout): Matter => {
    if (touch === undefined || realPath === undefined) return { layout: here, plan: plans.session(here) };
    const path = absolutePath(touch.path, cwd);
    // A file may be named by its real path although cwd is a link, or the other way round.
    const way = below(cwd, path) ?? below(here.realCwd, realPath);
    if (way === undefined) return { realPath, layout: here };
    const inside = joined(cwd, way);
    const plan = plans.nested(here, parentOf(inside));
    return { realPath, layout: here, plan, touched: { path, inside, realPath } };
  };
  /** For a path that may not exist yet: the real path of the nearest existing directory, and the rest. */
  const realPathOf = async (path: string): Promise<string> => {
    const found = await files.realPath(path);
    const parent = parentOf(path);
    if (found !== undefined || parent === path) return found ?? path;
    return joined(await realPathOf(parent), path.slice(path.lastIndexOf("/") + 1));
  };

  /** The last answer about the start, if nothing has changed since. */
  const unchanged = (): InstructionsResult | undefined => {
    const { plan, result, layout: place } = matters.get("") ?? {};
    if (isRunning || plan === undefined || layout === undefined || place !== layout) return undefined;
    const units = plan.specs.flatMap(({ unit }) => unit ?? []);
    return units.length === plan.specs.length && cache.isStill([layout, ...units]) ? result : undefined;
  };

  return {
    nested: (touch) => ask(touch),
    session: () => unchanged() ?? ask(),
  };
}

function specsOf(matters: readonly Matter[]): Set<Spec> {
  const specs = new Set<Spec>();
  const plans = new Set<Plan>();
  for (const { plan } of matters) if (plan !== undefined) plans.add(plan);
  for (const plan of plans) for (const spec of plan.specs) specs.add(spec);
  return specs;
}

function nothing(path: string, cwd: string): InstructionsResult {
  const reason =
    path === cwd
      ? "is the working directory itself: what speaks about it holds from the start"
      : `is outside the working directory ${cwd}: nothing speaks about it`;
  return { loaded: [], skipped: [{ path, reason }], problems: [] };
}
