// `sotto run` in a team: as its lead, as a member, as a mate that a lead has started.

import process from "node:process";
import { wrongUse } from "../../../agent/src/terminal/failure.ts";
import type { TeamOptions } from "../../../agent/src/team/join-team.ts";
import { LEAD } from "../../../agent/src/team/team.ts";
import { parseAddress } from "../input/mail-address.ts";
import type { RunEnding } from "./ending.ts";

export interface TeamCommand {
  print?: string | true;
  model?: string;
  baseUrl?: string;
  window?: number;
  cwd?: string;
  store?: string;
  addDir?: string[];
  deny?: string[];
  mcpConfig?: string[];
  ide?: boolean;
  maxTurns?: number;
  mailbox?: string;
  team?: string;
  delegate?: boolean;
  mateOf?: string;
  agentType?: string;
}

// Sooner than a lead loses its patience.
export const MATE_LAST_MS = 3500;

export function checkTeam({ team, mailbox, delegate, mateOf, agentType, print }: TeamCommand): void {
  if (team !== undefined && mailbox !== undefined)
    throw wrongUse("--team and --mailbox: give one of them; the lead of a team has the mailbox team/lead");
  if (delegate && team === undefined) throw wrongUse("--delegate needs --team: work goes to team mates");
  if (mateOf !== undefined && (mailbox === undefined || print === undefined))
    throw wrongUse("--mate-of needs --mailbox and -p");
  if (agentType !== undefined && mateOf === undefined) throw wrongUse("--agent-type needs --mate-of");
}

export function teamOf(command: TeamCommand): TeamOptions {
  const { team, mailbox, delegate = false, mateOf, agentType } = command;
  const address = team === undefined ? mailbox : `${team}/${LEAD}`;
  if (address === undefined) return {};
  return {
    mailbox: parseAddress(address),
    mateOf,
    agentType,
    ...(team === undefined ? {} : { leads: { delegates: delegate, mateArguments: mateArguments(command) } }),
  };
}

/** What makes a mate work as its lead does; what changes meanwhile comes with each start. */
function mateArguments(command: TeamCommand): string[] {
  const one = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${name}`, String(value)];
  const many = (name: string, values: readonly string[] = []) => values.flatMap((value) => one(name, value));
  return [
    ...one("model", command.model),
    ...one("base-url", command.baseUrl),
    ...one("window", command.window),
    ...one("cwd", command.cwd),
    ...one("store", command.store),
    ...one("max-turns", command.maxTurns),
    ...many("add-dir", command.addDir),
    ...many("deny", command.deny),
    ...many("mcp-config", command.mcpConfig),
    ...(command.ide === false ? ["--no-ide"] : []),
  ];
}

/** The channel to the lead closes with it, however that ends. */
export function endWithLead(ending: RunEnding): void {
  process.once("disconnect", () => ending.stop());
  // Listening alone would keep this process alive.
  process.channel?.unref();
  if (!process.connected) ending.stop();
}
