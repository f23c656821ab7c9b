// Diagnostics quote the content of a file: those of a file that may not be shown are not kept.

import type { Doubt } from "../../facts/facts.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { FileAccess } from "../files/file-access.ts";
import type { Source } from "../source.ts";

const KEPT = 20;

export function createDiagnosticsAccessSource(fileAccess: FileAccess): Source<"diagnosticsAccess"> {
  const hidden = new Map<string, string>();
  return {
    fact: "diagnosticsAccess",
    observe: () => ({ hidden: [...hidden].map(([path, why]): Doubt => ({ path, why })) }),
    async prepare(event) {
      if (event.type !== "diagnostics_published" || event.diagnostics.length === 0) return event;
      const path = absolutePath(event.filePath, fileAccess.cwd);
      const why = await whyHidden(path, fileAccess);
      hidden.delete(path);
      if (why === undefined) return event;
      hidden.set(path, why);
      if (hidden.size > KEPT) hidden.delete(hidden.keys().next().value as string);
      const { more: _more, ...rest } = event;
      return { ...rest, diagnostics: [] };
    },
  };
}

/** If that is unknown now, they are not kept either. */
async function whyHidden(path: string, fileAccess: FileAccess): Promise<string | undefined> {
  try {
    const access = await (await fileAccess.reader()).access(path);
    if (access.kind === "allowed") return undefined;
    if (access.kind === "secret") return "it looks as if it held secrets";
    return access.kind === "denied" ? `it may not be read: ${access.rule}` : `it is ${access.kind}`;
  } catch {
    return "it cannot be looked at now";
  }
}
