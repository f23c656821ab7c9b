// The blobs an entry refers to. Anything that looks like a blob's hash counts, so that nothing needed is removed.

import type { Entry } from "sotto/extend";

const BLOB_NAME = /^[0-9a-f]{64}$/u;

/** `needed`: the content is shown or compared, not only the hash. */
export interface Reference {
  hash: string;
  needed: boolean;
}

export function* referencesIn(entry: Entry): Generator<Reference> {
  yield* walk(entry, "");
}

function* walk(value: unknown, key: string): Generator<Reference> {
  if (typeof value === "string") {
    if (BLOB_NAME.test(value)) yield { hash: value, needed: key === "blob" };
  } else if (typeof value === "object" && value !== null)
    for (const [name, part] of Object.entries(value)) yield* walk(part, name);
}
