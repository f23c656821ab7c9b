// The reference agent, for programs that run it. Slow to load: import it when a run starts.

export type { AgentEvent, Listener } from "./agent-events.ts";
export { createDenyAsker, createTerminalAsker } from "./face/askers.ts";
export { createAnswerFace, type OutputFormat } from "./face/json-face.ts";
export { pageOn } from "./face/page.ts";
export { type Complete, createComplete } from "./face/slash-commands.ts";
export { createTalk, type Talk } from "./face/talk.ts";
export { createTerminal, type Terminal } from "./face/terminal.ts";
export { createTextFace } from "./face/text-face.ts";
export { SET_A_MODEL } from "./model/resolve-model.ts";
export { openRun } from "./open-run.ts";
export type { Run, RunOptions } from "./options.ts";
export type { Prompt } from "./prompt.ts";
export { type Measured, measure } from "./rehearsal/measure.ts";
export {
  type NewInput,
  newInputSince,
  type TypeOf,
} from "./rehearsal/requests.ts";
export type { KeptRequest } from "./rehearsal/start-rehearsal.ts";
export type { TeamOptions } from "./team/join-team.ts";
export { LEAD } from "./team/team.ts";
export { createPermissions, isAllowedBeforehand } from "./tools/permissions.ts";
