// What the checks know of a coding agent: how it is told where its model is, and how Sotto is wired into it.

import { join } from "node:path";
import type { MeasuredWire } from "../support/prefix.ts";
import type { ProviderName, Rules } from "../support/servers/model-server.ts";
import type { ToolCall } from "../support/servers/provider.ts";
import type { ClientName } from "./install.ts";

export interface Place {
  home: string;
  project: string;
  /** Of the model server. */
  url: string;
}

export interface Client {
  name: ClientName;
  provider: ProviderName;
  wire: MeasuredWire;
  /** Where the server has to be more patient than the provider's rules. */
  rules?: Rules;
  /** Writes its settings: the model, no telemetry, and Sotto. */
  settle(place: Place): Promise<void>;
  environment(place: Place): Record<string, string>;
  /** The command line of one prompt. */
  line(prompt: string, resume: boolean): string[];
  /** By which its model reads a file of the project. */
  readCall(path: string, project: string): ToolCall;
  /** Whether a resumed session begins with the very requests it had before. */
  resumesPrefix: boolean;
}

const root = join(import.meta.dirname, "../..");

/** For a shell: the built CLI on the Node of this process. */
export const sottoProgram = [process.execPath, join(root, "packages/cli/bin/sotto.js")]
  .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
  .join(" ");

export const piExtension = join(root, "packages/cli/plugins/pi");

export interface HookGroup {
  hooks: { type: "command"; command: string; name?: string; timeout?: number }[];
}

/** One command for all these events. */
export function hookTable(
  events: readonly string[],
  handler: Omit<HookGroup["hooks"][number], "type">,
): Record<string, HookGroup[]> {
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: "command", ...handler }] }]]));
}
