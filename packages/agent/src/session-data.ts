// The files the agent keeps about its sessions, for programs that list or remove them. Loads no model and no tools.

export { readConversation, transcriptFile, transcriptPath } from "./conversation/transcript.ts";
export { configuredModels } from "./model/model-facts.ts";
export { removeSummaries, taskDirectory } from "./session-files.ts";
export { findRipgrep } from "./tools/search/ripgrep.ts";
