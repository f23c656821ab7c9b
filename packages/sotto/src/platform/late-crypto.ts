// node:crypto, loaded on first use: that takes 10 ms, and most processes hash nothing before their first turn.

import type * as Crypto from "node:crypto";

export const createHash: typeof Crypto.createHash = (...args) => crypto().createHash(...args);
export const randomUUID: typeof Crypto.randomUUID = (...args) => crypto().randomUUID(...args);

function crypto(): typeof Crypto {
  return process.getBuiltinModule("node:crypto");
}
