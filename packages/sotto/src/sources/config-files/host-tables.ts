// Tables of the config files that are a host's affair: found and trusted as Sotto's own, understood by the host.

import type { Problem } from "../../platform/errors.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { FileAccessOptions } from "../files/file-access.ts";
import { readSmallFile, type SmallFile } from "../files/safe-open.ts";
import { findConfig } from "./find-config.ts";

/** What `sotto run` reads besides `[system_reminder]`. */
export const hostTableNames = ["models"] as const;
export type HostTableName = (typeof hostTableNames)[number];

export interface HostTable {
  path: string;
  /** As TOML has it; what it means is for the host to check. */
  value: unknown;
  /** Names the line of a key inside of it. */
  problemAt(keys: readonly string[], problem: string): Problem;
}

export interface HostTables {
  /** The user's, then the project's where it is trusted: later wins. */
  tables: readonly HostTable[];
  /** What was left out. */
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

/** What cannot be read, or is no TOML, is told with the rest of the config, not here. */
export async function readHostTables(options: HostTableOptions): Promise<HostTables> {
  const { name, configDirectory, stateDirectory } = options;
  const userFile = await readSmallFile(`${configDirectory}/config.toml`);
  const cwd = absolutePath(options.cwd, "/");
  const { file: found } = await findConfig({ cwd, home: options.home });
  const user = userFile.kind === "text" ? await tableIn(userFile, name) : undefined;
  const tables = user === undefined ? [] : [user];
  if (found?.kind !== "text") return { tables, problems: [] };
  // In one's own config directory or home it is the same file, and read already.
  if (userFile.kind === "text" && userFile.realPath === found.realPath) return { tables, problems: [] };
  const { allowedFile } = await import("../files/allowed-file.ts");
  const projectFile = await allowedFile(found, { ...options, cwd });
  if (projectFile.kind !== "text") return { tables, problems: [] };
  const project = await tableIn(projectFile, name);
  if (project === undefined) return { tables, problems: [] };
  const [{ openTrustStore: openTrustBook, trustPath }, { lookUp }] = await Promise.all([
    import("../trust/trust-store.ts"),
    import("../trust/trust-store.ts"),
  ]);
  const { path, text: content } = projectFile;
  const { state } = await lookUp(openTrustBook(trustPath(stateDirectory)), { path, content, cwd });
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
