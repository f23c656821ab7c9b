// A gateway as a process of its own, to be killed: gateway-main.ts STORE UPSTREAM PORT PATIENCE_MS. It sends its log to
// its parent; told "shaky", its store fails at random until it is told "well".

import process from "node:process";
import { createSqliteStore } from "sotto";
import { createPostgresStore } from "sotto/postgres";
import { createGateway } from "sotto-gateway";
import { createFlakyStore } from "./flaky-store.ts";
import { seeded } from "./seeded.ts";

const [place = "", url = "", port = "0", patience = "60000"] = process.argv.slice(2);
const patienceMs = Number(patience);
const store = place.startsWith("postgres:")
  ? createPostgresStore({ connectionString: place, waitMs: patienceMs })
  : createSqliteStore({ path: place, lockWaitMs: patienceMs });
const random = seeded(process.pid);
let isShaky = false;
process.on("message", (word) => {
  isShaky = word === "shaky";
});
// A limit for the size of files, which stands for a full disk, is not to end the process.
process.on("SIGXFSZ", () => undefined);
const gateway = createGateway({
  port: Number(port),
  store: createFlakyStore(store, { ...random, chance: (part) => isShaky && random.chance(part) }, 0.4),
  upstreams: { anthropic: { url, dialect: "anthropic" } },
  session: { home: "/nonexistent", configFiles: { read: false }, config: { timeout_ms: 60_000 } },
  limits: { remindMs: 60_000 },
  log: (line) => process.send?.(line),
});
console.log(await gateway.listen());
