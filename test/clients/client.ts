// What the checks know of a coding agent: how it is told where its model is, and how Sotto is wired into it.

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
  /** Writes its settings: the model, and no telemetry. */
  settle(place: Place): Promise<void>;
  environment(place: Place): Record<string, string>;
  /** Sotto is wired into it by `sotto init`, as hooks; where not, its settings name Sotto already. */
  hooks: boolean;
  /** The command line of one prompt. */
  line(prompt: string, resume: boolean): string[];
  /** By which its model reads a file of the project. */
  readCall(path: string, project: string): ToolCall;
  /** Hosts beyond loopback that it asks for, and does without. */
  wants?: RegExp;
  /** Whether a resumed session begins with the very requests it had before. */
  resumesPrefix: boolean;
}
