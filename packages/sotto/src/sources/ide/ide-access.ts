// Whether the file that the user looks at in the IDE may be shown. Of what may not, nothing is kept.

import { ideFile } from "../../facts/ide.ts";
import type { IdeAccess } from "../../facts/facts.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { Source } from "../source.ts";
import type { Desk } from "../files/file-access.ts";

export function createIdeAccessSource(desk: Desk): Source<"ideAccess"> {
  return {
    fact: "ideAccess",
    async observe({ facts }, signal) {
      const path = ideFile(facts.ide);
      return path === undefined ? { access: "allowed" } : accessTo(path, desk, signal);
    },
    async prepare(event) {
      if (event.type !== "ide_changed" || event.selection === undefined) return event;
      const { selection } = event;
      // What cannot be told now is not kept either.
      const checked = await accessTo(selection.filename, desk).then(
        ({ access }) => access === "allowed",
        () => false,
      );
      return { ...event, selection: { ...selection, content: checked ? selection.content : "", checked } };
    },
  };
}

/** The same rules as for reading it. One that was never saved has only its name. */
export async function accessTo(path: string, desk: Desk, signal?: AbortSignal): Promise<IdeAccess> {
  const found = await (await desk.reader()).access(absolutePath(path, desk.cwd), { signal });
  if (found.kind === "allowed" || found.kind === "secret") return { path, access: found.kind };
  if (found.kind === "denied") return { path, access: "denied", rule: found.rule };
  throw new Error(`${path} cannot be looked at now`);
}
