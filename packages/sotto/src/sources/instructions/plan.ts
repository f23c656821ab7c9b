// Which parts of the disk an answer depends on: one unit per directory and purpose, shared by all answers.

import { directoriesDown, joined } from "../../platform/paths.ts";
import { type FilesUnit, loadFiles, loadRules, type RulesUnit } from "./directory.ts";
import type { Layout, UnitContext } from "./layout.ts";
import { isLocal, type MemoryOptions } from "./types.ts";

/** A unit that is loaded on first use. */
export interface Spec<Unit extends FilesUnit | RulesUnit = FilesUnit | RulesUnit> {
  load(context: UnitContext): Promise<Unit>;
  unit?: Unit | undefined;
}

interface PlannedPlace {
  directory: string;
  files?: Spec<FilesUnit> | undefined;
  rules?: Spec<RulesUnit> | undefined;
}

export interface Plan {
  specs: readonly Spec[];
  /** Available once all specs are loaded. */
  parts(layout: Layout): LoadedParts;
}

export interface Plans {
  session(layout: Layout): Plan;
  /** For everything in a directory below cwd, or in cwd itself. */
  nested(layout: Layout, directory: string): Plan;
}

// More than any session touches; beyond it everything is read again.
const MAX_SPECS = 10_000;

export function createPlans(options: MemoryOptions): Plans {
  const { cwd, managedDir, userDirs, userFiles, fileNames, rulesDirs } = options;
  const specs = new Map<string, Spec>();
  const plans = new Map<string, Plan>();
  let planned: Layout | undefined;

  const spec = <Unit extends FilesUnit | RulesUnit>(key: string, load: Spec<Unit>["load"]): Spec<Unit> => {
    const known = specs.get(key) ?? { load };
    specs.set(key, known);
    return known as Spec<Unit>;
  };
  const names = fileNames.filter((name) => (isLocal(name) ? options.localSettings : options.projectSettings));
  const filesOf = (directory: string) => {
    const paths = names.map((name) => joined(directory, name));
    const load = (context: UnitContext) => loadFiles({ paths, kind: "project", directory }, context);
    return names.length === 0 ? undefined : spec<FilesUnit>(`files ${directory}`, load);
  };
  const rulesOf = (base: string) => {
    const directories = rulesDirs.map((name) => joined(base, name));
    const load = (context: UnitContext) => loadRules({ directories, kind: "project", base }, context);
    return options.projectSettings ? spec<RulesUnit>(`rules ${base}`, load) : undefined;
  };
  const managed = () =>
    managedDir === undefined
      ? undefined
      : spec<RulesUnit>("managed", (context) =>
          loadRules({ directories: [managedDir], kind: "managed", base: cwd }, context),
        );
  const user = () =>
    (options.userSettings ? userDirs : []).map((directory) =>
      spec<RulesUnit>(`user ${directory}`, (context) =>
        loadRules({ directories: [directory], kind: "user", base: cwd }, context),
      ),
    );
  const usersFiles = () =>
    options.userSettings
      ? spec<FilesUnit>("user files", (context) => loadFiles({ paths: userFiles, kind: "user" }, context))
      : undefined;

  /** Created again when the layout differs, or there are too many. */
  const plan = (layout: Layout, key: string, make: () => Plan): Plan => {
    if (planned !== layout || specs.size > MAX_SPECS) {
      specs.clear();
      plans.clear();
      planned = layout;
    }
    const known = plans.get(key) ?? make();
    plans.set(key, known);
    return known;
  };
  const assemble = (parts: Parts): Plan => {
    const places = [...parts.nested, ...parts.levels].flatMap(({ files, rules }) => [files, rules]);
    const all = [parts.managed, parts.userFiles, ...parts.user, ...places].filter((one) => one !== undefined);
    return {
      specs: all,
      parts: (layout) => ({
        options,
        layout,
        managed: parts.managed?.unit,
        userFiles: parts.userFiles?.unit,
        user: parts.user.map(({ unit }) => unit as RulesUnit),
        nested: parts.nested.map(placeOf),
        levels: parts.levels.map(placeOf),
      }),
    };
  };

  return {
    session: (layout) =>
      plan(layout, "", () =>
        assemble({
          managed: managed(),
          userFiles: usersFiles(),
          user: user(),
          nested: [],
          levels: layout.levels.map((directory) => ({
            directory,
            files: filesOf(directory),
            rules: rulesOf(directory),
          })),
        }),
      ),
    nested: (layout, directory) =>
      plan(layout, directory, () =>
        assemble({
          managed: managed(),
          user: user(),
          nested: directoriesDown(cwd, directory).map((nested) => ({
            directory: nested,
            files: filesOf(nested),
            rules: rulesOf(nested),
          })),
          levels: layout.levels.map((level) => ({ directory: level, rules: rulesOf(level) })),
        }),
      ),
  };
}

interface Parts {
  managed?: Spec<RulesUnit> | undefined;
  userFiles?: Spec<FilesUnit> | undefined;
  user: Spec<RulesUnit>[];
  nested: PlannedPlace[];
  levels: PlannedPlace[];
}

function placeOf({ directory, files, rules }: PlannedPlace): Place {
  return { directory, files: files?.unit, rules: rules?.unit };
}

// Everything an answer is made of.

/** A directory with its content; a part is absent if it is switched off. */
export interface Place {
  directory: string;
  files?: FilesUnit | undefined;
  rules?: RulesUnit | undefined;
}

export interface LoadedParts {
  options: MemoryOptions;
  layout: Layout;
  managed?: RulesUnit | undefined;
  userFiles?: FilesUnit | undefined;
  user: readonly RulesUnit[];
  /** Below cwd, top down. */
  nested: readonly Place[];
  /** Down to cwd. */
  levels: readonly Place[];
}

/** The path as given, relative to cwd, and its real path. */
export interface Touched {
  path: string;
  inside: string;
  realPath: string;
}

export function unitsOf({
  managed,
  userFiles,
  user,
  nested,
  levels,
}: LoadedParts): (FilesUnit | RulesUnit)[] {
  const places = [...nested, ...levels].flatMap(({ files, rules }) => [files, rules]);
  return [managed, userFiles, ...user, ...places].filter((unit) => unit !== undefined);
}
