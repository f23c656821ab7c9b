// Which places a prompt that stood in a request may ask for: whoever wrote it need not be the user of this machine.

import { notTaken } from "../trust/outside-project.ts";
import type { Desk } from "../files/file-access.ts";
import type { MentionedPlace, ResolveOptions } from "./resolve.ts";

/** Outside the project nothing is looked at, not even whether it is there, unless the host has opted in to it. */
export function inReach({ takes, project }: Desk, stat: ResolveOptions["stat"]): ResolveOptions["stat"] {
  if (takes("mentioned_files")) return stat;
  return async (path): Promise<MentionedPlace> =>
    (await project()).owns(path) ? stat(path) : { kind: "denied", rule: notTaken("mentioned_files") };
}
