// The config files of a session: the user's, and the allowed part of the project's.

import { stat } from "node:fs/promises";
import type { Attachment } from "../../attachments/attachment.ts";
import { isOutsideKey } from "../../config/key-reference.ts";
import type { ConfigFiles, ConfigTable } from "../../config/layers.ts";
import { mergeConfig } from "../../config/schema.ts";
import { errorText, type Problem } from "../../platform/errors.ts";
import { absolutePath } from "../../platform/paths.ts";
import { isTable } from "../../platform/plain-data.ts";
import type { FileAccessOptions } from "../files/file-access.ts";
import { readSmallFile, type SmallFile } from "../files/safe-open.ts";
import { type OutsideProjectOptions, takesFrom } from "../trust/outside-project.ts";
import { findConfig } from "./find-config.ts";
import { allowedConfig, onceTrusted, type ProjectPlace, type ReachedConfig } from "./project-limits.ts";

export interface LoadConfigOptions extends OutsideProjectOptions {
  cwd: string;
  /** The user's config directory. */
  configDirectory: string;
  stateDirectory: string;
  home: string;
  catalogue: readonly Attachment[];
  /** Settings from the environment, which also count as the user's. */
  environment?: ConfigTable;
  /** Read permissions, which also hold for the project's config. */
  permissions?: FileAccessOptions["permissions"];
}

/** Never rejects: a file that cannot be read is reported as a problem, and the session goes on without it. */
export async function loadConfig(options: LoadConfigOptions): Promise<ConfigFiles> {
  try {
    const [found, wrong] = await Promise.all([load(options), wrongDirectory(absolutePath(options.cwd, "/"))]);
    return wrong === undefined ? found : { ...found, problems: [wrong, ...found.problems] };
  } catch (error) {
    return {
      layers: [],
      problems: [{ where: options.cwd, problem: `no config is read: ${errorText(error)}` }],
    };
  }
}

/** Nothing is found in it, and so nothing else would say so. One that cannot be reached is named by what is read in it. */
async function wrongDirectory(cwd: string): Promise<Problem | undefined> {
  const why = await stat(cwd).then(
    (found) => (found.isDirectory() ? undefined : "it is not a directory"),
    ({ code }) => (code === "ENOENT" || code === "ENOTDIR" ? "there is no such directory" : undefined),
  );
  if (why === undefined) return undefined;
  return { where: cwd, problem: `${why}, so no files, config or instructions are found in it; correct cwd` };
}

const NO_FILES: ConfigFiles = { layers: [], problems: [] };

async function load({ configDirectory, catalogue, ...options }: LoadConfigOptions): Promise<ConfigFiles> {
  const cwd = absolutePath(options.cwd, "/");
  const userFile = await readSmallFile(`${configDirectory}/config.toml`);
  const { file: found, beside, root } = await findConfig({ cwd, home: options.home });
  // No parser is loaded if there is no file.
  if (userFile.kind === "absent" && found === undefined) return NO_FILES;
  const read = await readConfig(userFile, catalogue);
  const takesAll = takesFrom(options)("user_config");
  const user = { ...read, config: takesAll ? read.config : settingsOnly(read.config) };
  const paths = [
    ...(userFile.kind === "absent" ? [] : [userFile.path]),
    ...(found === undefined ? [] : [found.path]),
  ];
  // In the user's own config directory or home it is the same file, already read.
  const isSame = userFile.kind === "text" && found?.kind === "text" && userFile.realPath === found.realPath;
  if (found === undefined || isSame)
    return { paths: paths.slice(0, 1), layers: layersOf(user.config), problems: user.problems };
  const { allowedFile } = await import("../files/allowed-file.ts");
  const projectFile = await allowedFile(found, { ...options, cwd, configDirectory });
  const project = await readConfig(projectFile, catalogue);
  const problems = [...user.problems, ...project.problems];
  if (beside !== undefined)
    problems.push({ where: beside, problem: `it is not read, because ${projectFile.path} takes precedence` });
  if (project.config === undefined || projectFile.kind !== "text")
    return { paths, layers: layersOf(user.config), problems };
  const own = mergeConfig(user.config ?? {}, options.environment) as ConfigTable;
  const place: ProjectPlace = { path: projectFile.path, cwd, root, user: own, catalogue };
  const allowed = await asFarAsTrusted(projectFile, project.config, place, options.stateDirectory);
  return {
    paths,
    layers: [...layersOf(user.config), ...allowed.layers],
    ...(allowed.instruction === undefined ? {} : { instruction: allowed.instruction }),
    problems: [...problems, ...allowed.problems],
  };
}

type TextFile = Extract<SmallFile, { kind: "text" }>;

async function asFarAsTrusted(
  { path, text }: TextFile,
  config: ConfigTable,
  place: ProjectPlace,
  stateDirectory: string,
): Promise<ConfigFiles> {
  const { openTrustStore, trustPath, lookUp } = await import("../trust/user-trust-store.ts");
  const store = openTrustStore(trustPath(stateDirectory));
  const { state } = await lookUp(store, { path, content: text, cwd: place.cwd });
  const { problemAt } = await import("./read-toml.ts");
  const problemsOf = (ignored: ReachedConfig["ignored"], changed = ""): Problem[] =>
    ignored.map(({ keys, why, never }) => {
      const problem = `system_reminder.${keys.join(".")} is ignored: ${why}${never ? "" : changed}`;
      const found = problemAt({ path, text, keys: ["system_reminder", ...keys], problem });
      return never ? found : { ...found, needsTrust: true };
    });
  if (state === "trusted") {
    const { config: kept, ignored } = onceTrusted(config);
    const { critical_instruction: content, ...rest } = kept;
    const own =
      typeof content === "string" ? { instruction: { content, from: path, trusted: true as const } } : {};
    return { layers: [rest], ...own, problems: problemsOf(ignored) };
  }
  const { config: allowed, instruction, ignored } = allowedConfig(config, place);
  const changed = state === "changed" ? ", as the file has changed since it was trusted" : "";
  const problems = problemsOf(ignored, changed);
  const broken = await store.problem();
  if (broken !== undefined) problems.push({ where: store.path, problem: broken });
  return { layers: [allowed], ...(instruction === undefined ? {} : { instruction }), problems };
}

async function readConfig(file: SmallFile, catalogue: readonly Attachment[]) {
  const none: { config?: ConfigTable; problems: Problem[] } = { problems: [] };
  if (file.kind === "absent") return none;
  if (file.kind === "unreadable")
    return { problems: [{ where: file.path, problem: `it cannot be read: ${file.why}; ignored` }] };
  const { readToml } = await import("./read-toml.ts");
  return readToml(file.path, file.text, catalogue);
}

function layersOf(config: ConfigTable | undefined): ConfigTable[] {
  return config === undefined ? [] : [config];
}

// The part of the user's config that holds in every agent: switches, frequencies and limits. Texts, paths and
// programs are left out, as they concern files outside the project.

export function settingsOnly(config: ConfigTable | undefined): ConfigTable | undefined {
  if (config === undefined) return undefined;
  const kept = inside(config);
  return isTable(kept.memory) ? { ...kept, memory: inside(kept.memory, "memory.") } : kept;
}

function inside(table: ConfigTable, prefix = ""): ConfigTable {
  return Object.fromEntries(Object.entries(table).filter(([key]) => !isOutsideKey(prefix + key)));
}
