// The store that loads on first use, against the contract.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeStore } from "../../../../../test/support/store-contract.ts";
import { createSqliteStore } from "./on-demand.ts";

describeStore("SQLite on demand", async () => {
  const directory = await mkdtemp(join(tmpdir(), "sotto-store-"));
  const options = { path: join(directory, "store.db") };
  return {
    store: createSqliteStore(options),
    reopen: async () => createSqliteStore(options),
    cleanup: () => rm(directory, { recursive: true }),
  };
});
