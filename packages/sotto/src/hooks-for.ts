// Which command hooks the user's and the project's files set, without a session: for hosts, and programs that check it.

import type { IsTrusted } from "./sources/source.ts";
import type { OutsideOptions } from "./sources/trust/outside-project.ts";
import { absolutePath } from "./platform/paths.ts";
import { allowedByUser } from "./sources/trust/user-trust.ts";
import { createDesk } from "./sources/files/file-access.ts";
import type { HookFiles } from "./sources/hooks/hook-files.ts";
import { userPlaces } from "./platform/user-directories.ts";

export interface HooksForOptions extends Pick<OutsideOptions, "instructions"> {
  cwd: string;
  /** The user's home directory; the system's unless given. */
  home?: string;
  /** Whether what stands in a file may be run: what the user has allowed, unless given. Their own `hooks.json` needs no word. */
  isTrusted?: IsTrusted;
}

export async function hooksFor(options: HooksForOptions): Promise<HookFiles> {
  const { cwd: given, home, isTrusted, instructions } = options;
  const cwd = absolutePath(given, process.cwd());
  const places = userPlaces(home);
  const desk = createDesk({ cwd, instructions, ...places });
  const { readHookFiles } = await import("./sources/hooks/hook-files.ts");
  const reader = await desk.reader();
  return readHookFiles({
    ...{ cwd, ...places, reader, takes: desk.takes },
    isTrusted: isTrusted ?? allowedByUser(options),
  });
}
