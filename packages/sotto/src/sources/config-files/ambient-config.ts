// Config besides the host's own: the environment, read at once, and the files, read on first use.

import type { Attachment } from "../../attachments/attachment.ts";
import type { AmbientConfig, ConfigFiles } from "../../config/layers.ts";
import { userDirectories } from "../../platform/user-directories.ts";
import type { ReadPermissions } from "../source.ts";
import type { OutsideProjectOptions } from "../trust/outside-project.ts";
import { readEnvironment } from "./environment.ts";

export interface AmbientOptions extends OutsideProjectOptions {
  cwd: string;
  home?: string | undefined;
  catalogue: readonly Attachment[];
  permissions?: ReadPermissions | undefined;
}

export function ambientConfig({ cwd, home, ...options }: AmbientOptions): AmbientConfig {
  let files: Promise<ConfigFiles> | undefined;
  const environment = readEnvironment(process.env);
  return {
    environment,
    files() {
      files ??= import("./load-config.ts").then(({ loadConfig }) =>
        loadConfig({ cwd, environment: environment.config, ...options, ...userDirectories(home) }),
      );
      return files;
    },
  };
}
