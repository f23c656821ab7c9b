// The config there is, without a session: which files speak, and what is wrong with them.

import { ambientConfig } from "./sources/config-files/ambient-config.ts";
import { catalogue } from "./attachments/catalogue.ts";
import { type Config, mergeConfig } from "./config/schema.ts";
import type { OutsideOptions } from "./sources/trust/outside-project.ts";
import { absolutePath } from "./platform/paths.ts";
import type { Problem } from "./platform/problem.ts";

export interface ConfigReport {
  /** The user's, then the project's; absolute. */
  files: readonly string[];
  problems: readonly Problem[];
  /** What they say together, the environment included. */
  config: Config;
}

export interface ConfigForOptions extends Pick<OutsideOptions, "instructions"> {
  cwd: string;
  home?: string;
}

export async function configFor({ cwd, ...options }: ConfigForOptions): Promise<ConfigReport> {
  const { environment, files } = ambientConfig({
    ...options,
    cwd: absolutePath(cwd, process.cwd()),
    catalogue,
  });
  const { paths = [], layers, problems } = await files();
  const config = [...layers, environment.config].reduce<unknown>(mergeConfig, {}) as Config;
  return { files: paths, problems: [...environment.problems, ...problems], config };
}
