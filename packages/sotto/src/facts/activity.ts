// Recent activity of the agent: paths it touched, tools that finished, and where its view began.

import type { StoredEvent } from "./events.ts";
import { isForAgent } from "./files.ts";
import { type FoldContext, type Slice, slice } from "./slice.ts";

/** When something happened: its log entry, and the number of assistant messages by then. */
export interface Moment {
  seq: number;
  turns: number;
}

export interface TouchedPath extends Moment {
  path: string;
  realPath?: string;
}

export interface ActivityFact {
  /** The latest, oldest first. */
  touched: TouchedPath[];
  tools: (Moment & { toolName: string })[];
  /** When the session began. Unset after compaction. */
  started?: Moment;
  compacted?: Moment;
}

const KEPT = 100;

export const activity: Slice<ActivityFact> = slice({
  initial: (): ActivityFact => ({ touched: [], tools: [] }),
  on: [
    "file_read",
    "file_written",
    "file_attached",
    "write_announced",
    "tool_finished",
    "compacted",
    "session_started",
  ],
  apply(state, event, { seq, turns }: FoldContext) {
    const moment = { seq, turns };
    if (event.type === "session_started" && event.reason !== "resume" && event.reason !== "fork") {
      Object.assign(state, activity.initial(), { started: moment });
      delete state.compacted;
    } else if (event.type === "compacted") {
      Object.assign(state, activity.initial(), { compacted: moment });
      delete state.started;
    } else if (event.type === "tool_finished")
      state.tools = [...state.tools, { seq, turns, toolName: event.toolName }].slice(-KEPT);
    const path = touchedBy(event);
    if (path === undefined) return;
    // A path touched again moves to its latest time.
    const others = state.touched.filter((one) => one.path !== path.path);
    const { path: name, realPath } = path;
    const touch = realPath === undefined ? { seq, turns, path: name } : { seq, turns, path: name, realPath };
    state.touched = [...others, touch].slice(-KEPT);
  },
});

/** The path that was read (whole or in part), mentioned by the user, written, or is about to be written. */
function touchedBy(event: StoredEvent): { path: string; realPath?: string } | undefined {
  switch (event.type) {
    case "file_read":
    case "file_written": {
      if (event.type === "file_written" && isForAgent(event.cause)) return undefined;
      const { path, version } = event;
      return version === undefined ? { path } : { path, realPath: version.realPath };
    }
    case "write_announced":
      return { path: event.path };
    case "file_attached":
      return event.for === "mention" && event.content.type !== "directory" ? { path: event.path } : undefined;
    default:
      return undefined;
  }
}
