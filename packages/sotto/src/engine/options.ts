// What a host says when it creates a session.

import type { Agent } from "../facts/agent.ts";
import type { Attachment } from "../attachments/attachment.ts";
import type { Config } from "../config/schema.ts";
import type { Store } from "../log/entries.ts";
import type { MailAddress } from "../sources/team/mailbox-path.ts";
import type { OutsideOptions } from "../sources/trust/outside-project.ts";
import type { PresetName } from "../config/presets.ts";
import type { Profile } from "../profiles/profile.ts";
import type { Source, ReadPermissions, IsTrusted, ResourceReader } from "../sources/source.ts";
import type { ToolDescription } from "../profiles/tool-names.ts";

export interface SessionOptions extends OutsideOptions {
  id?: string;
  cwd: string;
  /** The user's home directory; the system's unless given. */
  home?: string;
  agent: Agent;
  /**
   * Whom it is for: `coding` unless given; `assistant` for agents that do not work on files (no files, no instruction
   * files, no todo reminders). Whatever config says goes before it.
   */
  preset?: PresetName;
  config?: Config;
  /** What the host would have unless the user's or the project's files say otherwise: below those, where `config` is above. */
  defaults?: Config;
  /** Whether config files and the environment count beside `config`; they do unless told otherwise. */
  readConfig?: boolean;
  /**
   * Whose requests these are, where the agent is somebody else's: the tool calls in them are looked at, and what the
   * agent tells its model itself is off unless config says otherwise.
   */
  profile?: Profile;
  /**
   * This process takes part in a conversation that goes on elsewhere, for a call or two: that it begins is recorded
   * only where the log is empty.
   */
  joins?: boolean;
  /** In memory unless given. Whoever opened it closes it. */
  store?: Store;
  /** What the agent may not read; neither content nor changes of it are ever shown. */
  permissions?: ReadPermissions;
  /**
   * Whether what tools gave is neutralised in the requests that turns hand back, as everything inside reminders is: no
   * output can be read as a reminder then. Off unless told; the host's own messages are never changed.
   */
  neutraliseToolResults?: boolean;
  /** The tools the agent has: reminders name no other. With a kind where the gate cannot know it. */
  tools?: readonly (string | ToolDescription)[];
  /** Types of the sub-agents there are: `@agent-<type>` in a prompt asks for one. */
  agents?: readonly string[];
  /** Reads resources of MCP servers: `@server:uri` in a prompt asks for one. */
  resources?: ResourceReader;
  /**
   * Whether the user has allowed what a file of the project says with authority, as it stands, or would run. Without it
   * what the user has allowed with `sotto trust`; the user's own files always are.
   */
  isTrusted?: IsTrusted;
  /** Whose mail it reads, from `mailbox_dir`; sub-agents read none. */
  mailbox?: MailAddress;
  /** Sources of the host's own, besides the built-in ones. */
  sources?: readonly Source[];
  /** Attachments of the host's own, behind those of the catalogue. */
  attachments?: readonly Attachment[];
}
