// Which command hooks the user's and the project's files set, without a session: for hosts, and programs that check it.

import type { IsTrusted } from "./core/source.ts";
import type { OutsideOptions } from "./core/outside.ts";
import { absolutePath } from "./core/path.ts";
import { allowedByUser } from "./project-trust.ts";
import { createDesk } from "./sources/files/desk.ts";
import type { HookFiles } from "./sources/hooks/read-hook-files.ts";
import { userPlaces } from "./user-places.ts";

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
  const { readHookFiles } = await import("./sources/hooks/read-hook-files.ts");
  const reader = await desk.reader();
  return readHookFiles({
    ...{ cwd, ...places, reader, takes: desk.takes },
    isTrusted: isTrusted ?? allowedByUser(options),
  });
}
