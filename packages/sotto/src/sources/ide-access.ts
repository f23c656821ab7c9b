// Whether the file that the user looks at in the IDE may be shown. Of what may not, nothing is kept.

import { ideFile } from "../core/facts/ide.ts";
import type { IdeAccess } from "../core/facts.ts";
import { absolutePath } from "../core/path.ts";
import type { Source } from "../core/source.ts";
import type { Desk } from "./files/desk.ts";

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

/** Both names of a file count; one that was never saved has only this one. */
export async function accessTo(path: string, desk: Desk, signal?: AbortSignal): Promise<IdeAccess> {
  const [reader, permissions] = await Promise.all([desk.reader(), desk.permissions()]);
  const place = absolutePath(path, desk.cwd);
  const named = permissions.check(place);
  if (!named.allowed) return { path, access: "denied", rule: named.rule };
  if (permissions.isSecret(place)) return { path, access: "secret" };
  const real = await reader.realPath(place, { signal });
  if (real.kind === "missing") return { path, access: "allowed" };
  if (real.kind === "denied") return { path, access: "denied", rule: real.rule };
  if (real.kind !== "path") throw new Error(`${path} cannot be looked at now`);
  return { path, access: permissions.isSecret(real.realPath) ? "secret" : "allowed" };
}
