// Tables of the config files for hosts: found and trusted like Sotto's own, interpreted by the host.

import type { Problem } from "../../platform/errors.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { FileAccessOptions } from "../files/file-access.ts";
import { readSmallFile, type SmallFile } from "../files/safe-open.ts";
import { findConfig } from "./find-config.ts";

/** The tables that `sotto run` and `sotto gateway` read besides `[system_reminder]`. */
export const hostTableNames = ["models", "gateway"] as const;
export type HostTableName = (typeof hostTableNames)[number];

export interface HostTable {
  path: string;
  /** As parsed from TOML, not validated. */
  value: unknown;
  /** A problem with a key in the table, with its line. */
  problemAt(keys: readonly string[], problem: string): Problem;
}

export interface HostTables {
  /** The user's, then the project's if it is trusted. Later ones win. */
  tables: readonly HostTable[];
  /** What was ignored, and why. */
  problems: readonly Problem[];
  /** Files that cannot be read or are not valid TOML, so that nobody knows what they say. A session reports them, too. */
  unusable: readonly Problem[];
}

export interface HostTableOptions {
  cwd: string;
  configDirectory: string;
  stateDirectory: string;
  home: string;
  permissions?: FileAccessOptions["permissions"];
  name: HostTableName;
}

export async function readHostTables(options: HostTableOptions): Promise<HostTables> {
  const { name, configDirectory, stateDirectory } = options;
  const userFile = await readSmallFile(`${configDirectory}/config.toml`);
  const cwd = absolutePath(options.cwd, "/");
  const { file: found } = await findConfig({ cwd, home: options.home });
  const user = await tableIn(userFile, name);
  // In the user's own config directory or home it is the same file, already read.
  const isSame = userFile.kind === "text" && found?.kind === "text" && userFile.realPath === found.realPath;
  if (found === undefined || isSame) return { problems: [], ...user };
  const { allowedFile } = await import("../files/allowed-file.ts");
  const projectFile = await allowedFile(found, { ...options, cwd });
  const project = await tableIn(projectFile, name);
  const unusable = [...user.unusable, ...project.unusable];
  const [table] = project.tables;
  if (table === undefined || projectFile.kind !== "text")
    return { tables: user.tables, problems: [], unusable };
  const { openTrustStore, trustPath, lookUp } = await import("../trust/user-trust-store.ts");
  const { path, text: content } = projectFile;
  const { state } = await lookUp(openTrustStore(trustPath(stateDirectory)), { path, content, cwd });
  if (state === "trusted") return { tables: [...user.tables, table], problems: [], unusable };
  const changed = state === "changed" ? ", as the file has changed since it was trusted" : "";
  const problem = table.problemAt([], `[${name}] is ignored: it needs \`sotto trust\`${changed}`);
  return { tables: user.tables, problems: [{ ...problem, needsTrust: true }], unusable };
}

async function tableIn(
  file: SmallFile,
  name: HostTableName,
): Promise<Pick<HostTables, "tables" | "unusable">> {
  if (file.kind === "absent") return { tables: [], unusable: [] };
  const { path } = file;
  if (file.kind === "unreadable")
    return { tables: [], unusable: [{ where: path, problem: `it cannot be read: ${file.why}` }] };
  const { text } = file;
  const { problemAt, tableOf } = await import("./read-toml.ts");
  const { value, problem } = tableOf(text, name);
  if (problem !== undefined) return { tables: [], unusable: [{ where: path, ...problem }] };
  if (value === undefined) return { tables: [], unusable: [] };
  const table: HostTable = {
    path,
    value,
    problemAt: (keys, words) => problemAt({ path, text, keys: [name, ...keys], problem: words }),
  };
  return { tables: [table], unusable: [] };
}
