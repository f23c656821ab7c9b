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
}

export interface HostTableOptions {
  cwd: string;
  configDirectory: string;
  stateDirectory: string;
  home: string;
  permissions?: FileAccessOptions["permissions"];
  name: HostTableName;
}

type TextFile = Extract<SmallFile, { kind: "text" }>;

/** Files that cannot be read or parsed are reported by loadConfig, not here. */
export async function readHostTables(options: HostTableOptions): Promise<HostTables> {
  const { name, configDirectory, stateDirectory } = options;
  const userFile = await readSmallFile(`${configDirectory}/config.toml`);
  const cwd = absolutePath(options.cwd, "/");
  const { file: found } = await findConfig({ cwd, home: options.home });
  const user = userFile.kind === "text" ? await tableIn(userFile, name) : undefined;
  const tables = user === undefined ? [] : [user];
  if (found?.kind !== "text") return { tables, problems: [] };
  // In the user's own config directory or home it is the same file, already read.
  if (userFile.kind === "text" && userFile.realPath === found.realPath) return { tables, problems: [] };
  const { allowedFile } = await import("../files/allowed-file.ts");
  const projectFile = await allowedFile(found, { ...options, cwd });
  if (projectFile.kind !== "text") return { tables, problems: [] };
  const project = await tableIn(projectFile, name);
  if (project === undefined) return { tables, problems: [] };
  const { openTrustStore, trustPath, lookUp } = await import("../trust/user-trust-store.ts");
  const { path, text: content } = projectFile;
  const { state } = await lookUp(openTrustStore(trustPath(stateDirectory)), { path, content, cwd });
  if (state === "trusted") return { tables: [...tables, project], problems: [] };
  const changed = state === "changed" ? ", as the file has changed since it was trusted" : "";
  return {
    tables,
    problems: [
      {
        ...project.problemAt([], `[${name}] is ignored: it needs \`sotto trust\`${changed}`),
        needsTrust: true,
      },
    ],
  };
}

async function tableIn({ path, text }: TextFile, name: HostTableName): Promise<HostTable | undefined> {
  const { problemAt, tableOf } = await import("./read-toml.ts");
  const value = tableOf(text, name);
  if (value === undefined) return undefined;
  return {
    path,
    value,
    problemAt: (keys, problem) => problemAt({ path, text, keys: [name, ...keys], problem }),
  };
}
