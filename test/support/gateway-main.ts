// A gateway as a process of its own, to be killed: gateway-main.ts STORE UPSTREAM PORT

import process from "node:process";
import { createSqliteStore } from "sotto";
import { createGateway } from "sotto-gateway";

const [path = "", url = "", port = "0"] = process.argv.slice(2);
const gateway = createGateway({
  port: Number(port),
  store: createSqliteStore({ path, lockWaitMs: 60_000 }),
  upstreams: { anthropic: { url, dialect: "anthropic" } },
  session: { home: "/nonexistent", configFiles: { read: false }, config: { timeout_ms: 60_000 } },
  limits: { remindMs: 60_000 },
});
console.log(await gateway.listen());
