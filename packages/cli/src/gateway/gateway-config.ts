// The config table [gateway], and the options of the command line over it.

import { resolve } from "node:path";
import { configFor, problemText } from "sotto/inspect";
import {
  didYouMean,
  type HostTables,
  hideQuotedKeys,
  hostTables,
  shownName,
  userDirectories,
} from "sotto/internal";
import { costOf, modelFacts } from "sotto-agent/models";
import { readRegular } from "sotto-agent/regular-file";
import { usageError } from "sotto-agent/terminal";
import type { GatewayOptions, Upstream } from "sotto-gateway";
import { z } from "zod";
import { LOG_LEVELS, type LogLevel } from "./log-levels.ts";

const names = z.array(z.string().min(1));
const table = z.strictObject({
  host: z.string().optional(),
  port: z.number().optional(),
  hosts: names.optional(),
  origins: names.optional(),
  workspaces: names.optional(),
  trust_user: z.boolean().optional(),
  record_conversation: z.boolean().optional(),
  log_level: z.enum(LOG_LEVELS).optional(),
  behind_proxy: z.boolean().optional(),
  tls_cert: z.string().optional(),
  tls_key: z.string().optional(),
  tokens: z.record(z.string(), z.string()).optional(),
  upstreams: z
    .record(
      z.string(),
      z.strictObject({ url: z.string(), dialect: z.enum(["anthropic", "openai", "gemini"]).optional() }),
    )
    .optional(),
});

type Table = z.infer<typeof table>;
type Problems = HostTables["problems"];

export interface GatewayFlags {
  port?: number;
  host?: string;
  upstream?: string[];
  workspace?: string[];
  logLevel?: LogLevel;
  recordConversation?: boolean;
}

/** What the files say, as plain data: another process can be told. */
export interface GatewayConfig {
  table: Table;
  tls?: { cert: string; key: string } | undefined;
  /** The files whose tables are used. */
  files: readonly string[];
  /** Tables of projects that are not trusted, so that they are not. */
  ignored: Problems;
  /** What is wrong with `[system_reminder]` in the projects' files, which sessions go on without, and in the environment. */
  problems: Problems;
}

const PEM_BYTES = 1 << 20;

/** A file that cannot be used is an error: requests must not go elsewhere. So is a mistake in the user's own file. */
export async function readGatewayConfig({
  workspace,
}: Pick<GatewayFlags, "workspace">): Promise<GatewayConfig> {
  const { tables, problems, unusable } = await hostTables({ cwd: process.cwd(), name: "gateway" });
  const [broken] = unusable;
  if (broken !== undefined) throw usageError(problemText(broken), "invalid_config");
  const config: Table = Object.assign({}, ...tables.map(parsed));
  const { tls_cert, tls_key } = config;
  if ((tls_cert === undefined) !== (tls_key === undefined))
    throw usageError("gateway: tls_cert and tls_key belong together", "invalid_config");
  const tls =
    tls_cert === undefined || tls_key === undefined
      ? undefined
      : { cert: await readPem("tls_cert", tls_cert), key: await readPem("tls_key", tls_key) };
  const reminders = await reminderProblems([process.cwd(), ...(workspace ?? config.workspaces ?? [])]);
  return {
    table: config,
    tls,
    files: tables.map(({ path }) => path),
    ignored: problems,
    problems: reminders,
  };
}

/** Of `[system_reminder]`, as sessions in these places will find it. Throws for the user's own file. */
async function reminderProblems(places: readonly string[]): Promise<Problems> {
  const own = `${userDirectories().configDirectory}/config.toml`;
  const found = new Map<string, Problems[number]>();
  for (const cwd of new Set(places.map((place) => resolve(place))))
    for (const problem of (await configFor({ cwd })).problems) found.set(problemText(problem), problem);
  const problems = [...found.values()];
  const mistake = problems.find(({ where }) => where === own);
  if (mistake !== undefined) throw usageError(problemText(mistake), "invalid_config");
  return problems;
}

async function readPem(key: string, path: string): Promise<string> {
  try {
    return await readRegular(path, PEM_BYTES);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // The key itself may stand where its path should.
    const problem = hideQuotedKeys(`gateway.${key}: ${path} cannot be read: ${why}`);
    throw usageError(problem, "invalid_config");
  }
}

/** Everything but the store and the log. */
export function gatewayOptions({ table: config, tls }: GatewayConfig, flags: GatewayFlags): GatewayOptions {
  const { host, port, hosts, origins, tokens, behind_proxy, trust_user, record_conversation } = config;
  const workspaces = (flags.workspace ?? config.workspaces ?? []).map((one) => resolve(one));
  return {
    ...{ hosts, origins, tokens, tls, workspaces },
    host: flags.host ?? host,
    port: flags.port ?? port,
    behindProxy: behind_proxy,
    recordConversation: flags.recordConversation ?? record_conversation,
    upstreams: { ...config.upstreams, ...upstreamsFrom(flags.upstream ?? []) },
    // Without tokens it serves only people who are on this machine.
    session: { trust: { user: trust_user ?? Object.keys(tokens ?? {}).length === 0 } },
    modelFacts(model) {
      const { window, price } = modelFacts(model);
      return { window, costOf: (usage) => costOf(usage, price) };
    },
  };
}

function parsed({ value, problemAt }: HostTables["tables"][number]): Table {
  const { success, data, error } = table.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const [unknown] = issue?.code === "unrecognized_keys" ? issue.keys : [];
  const at = issue?.path.map(String) ?? [];
  const where = ["gateway", ...at.map(shownName)].join(".");
  const words =
    unknown === undefined
      ? (issue?.message ?? "it is wrong")
      : `unknown key "${shownName(unknown)}"${didYouMean(unknown, Object.keys(table.shape))}`;
  const keys = unknown === undefined ? at : [...at, unknown];
  throw usageError(problemText(problemAt(keys, `${where}: ${words}`)), "invalid_config");
}

function upstreamsFrom(given: readonly string[]): Record<string, Upstream> {
  return Object.fromEntries(
    given.map((one) => {
      const [, name, url] = /^([^=]+)=(.+)$/su.exec(one) ?? [];
      if (name === undefined || url === undefined)
        throw usageError(
          `--upstream ${shownName(one)}: expected NAME=URL, such as local=http://127.0.0.1:11434`,
        );
      const dialect = name === "anthropic" || name === "openai" || name === "gemini" ? name : undefined;
      return [name, { url, dialect }];
    }),
  );
}
