// What `sotto doctor` looks at, in this order. One more check is one more file and one line here.

import { checkAgents } from "./coding-agents.ts";
import { checkConfig } from "./project.ts";
import type { Check } from "./finding.ts";
import { checkHookCalls } from "./hook-calls.ts";
import { checkInstructions } from "./instructions.ts";
import { checkHooks, checkLanguageServers, checkServers, checkSkills } from "./live.ts";
import { checkNode } from "./machine.ts";
import { checkPackages } from "./packages.ts";
import { checkPrivate } from "./private.ts";
import { checkReminders } from "./reminders.ts";
import { checkRipgrep } from "./ripgrep.ts";
import { checkStore } from "./store.ts";
import { checkTerminal } from "./terminal.ts";
import { checkTrust } from "./trust.ts";

export const checks: Record<string, Check> = {
  node: checkNode,
  store: checkStore,
  packages: checkPackages,
  config: checkConfig,
  trust: checkTrust,
  "coding agents": checkAgents,
  hooks: checkHooks,
  "hook calls": checkHookCalls,
  "mcp servers": checkServers,
  "language servers": checkLanguageServers,
  skills: checkSkills,
  instructions: checkInstructions,
  reminders: checkReminders,
  private: checkPrivate,
  ripgrep: checkRipgrep,
  terminal: checkTerminal,
};
