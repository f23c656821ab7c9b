// The gateway's config while it runs: read again when that is wanted, and as it was if it cannot be used.

import { problemText } from "sotto/inspect";
import { usageError } from "sotto-agent/terminal";
import type { Gateway } from "sotto-gateway";
import {
  type GatewayConfig,
  type GatewayFlags,
  gatewayOptions,
  readGatewayConfig,
} from "./gateway-config.ts";
import type { Logger } from "./logger.ts";

export interface LiveConfig {
  /** The one in force. */
  now(): GatewayConfig;
  /** Reads it again for this gateway. False: it stays as it was. */
  reload(gateway: Gateway): Promise<boolean>;
}

/** `use` is called with each config that is used from then on. */
export async function createLiveConfig(
  flags: GatewayFlags,
  log: Logger,
  use: (config: GatewayConfig) => void,
): Promise<LiveConfig> {
  let config = await readGatewayConfig(flags);
  // A gateway that runs keeps these, and so does one that is started beside it.
  const { host, port, behind_proxy, workspaces } = config.table;
  const take = (next: GatewayConfig) => {
    config = { ...next, table: { ...next.table, host, port, behind_proxy, workspaces } };
    use(config);
    for (const problem of [...config.ignored, ...config.problems])
      log({ level: "warn", message: problemText(problem) });
  };
  take(config);

  async function reload(gateway: Gateway): Promise<boolean> {
    try {
      const next = await readGatewayConfig(flags);
      // What it says was in use: without it requests would go elsewhere.
      const lost = next.ignored.find(({ where }) => config.files.includes(where));
      if (lost !== undefined) throw usageError(problemText(lost));
      gateway.reload(gatewayOptions(next, flags));
      take(next);
      log({ level: "info", message: "the config was read again" });
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : error;
      log({ level: "warn", message: `the config stays as it was: ${why}` });
      return false;
    }
  }

  // One after the other: the last one has the last word.
  let reloading: Promise<unknown> = Promise.resolve();
  return {
    now: () => config,
    reload(gateway) {
      const done = reloading.then(() => reload(gateway));
      reloading = done;
      return done;
    },
  };
}
