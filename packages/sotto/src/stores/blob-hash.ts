// The name of a blob: the SHA-256 of its content.

import { smallHash } from "../platform/small-hash.ts";

export function blobHash(content: Uint8Array): string {
  // Loaded on first use: importing the library must not pay for it.
  const large = () =>
    process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex");
  return smallHash(content) ?? large();
}
