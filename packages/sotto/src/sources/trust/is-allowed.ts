// Whether a file of a project may do what it asks for. Who cannot be asked has not said yes.

import type { IsTrusted } from "../source.ts";

export async function isAllowed(
  isTrusted: IsTrusted | undefined,
  path: string,
  content: string,
): Promise<boolean> {
  try {
    return (await isTrusted?.(path, content)) === true;
  } catch {
    return false;
  }
}
