// An agent's address as people write it: team/agent.

import type { MailAddress } from "sotto";
import { wrongUse } from "../../../agent/src/terminal/failure.ts";

export function parseAddress(text: string): MailAddress {
  const [team = "", agent = "", ...rest] = text.split("/");
  if (team === "" || agent === "" || rest.length > 0)
    throw wrongUse(`"${text}" is no address: expected team/agent, e.g. parsers/grace`);
  return { team, agent };
}
