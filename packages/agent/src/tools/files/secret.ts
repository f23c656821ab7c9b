// Files that look as if they held secrets, by Sotto's own rule: the agent shows them only if the user says so.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { looksSecret } from "sotto";

export const SECRET_QUESTION = {
  detail: "This file looks as if it held secrets. The model would read it.",
  allowedBy: "--permission-mode all",
  always: "every file that looks secret, with this tool",
};

/** By its name, and by where links lead. */
export function isSecret(given: string, cwd: string): boolean {
  const path = resolve(cwd, given);
  if (looksSecret(path)) return true;
  try {
    return looksSecret(realpathSync(path));
  } catch {
    return false;
  }
}
