// What the user's prompt mentions: looked up, read and recorded, so that it comes with the prompt.

import type { SessionEvent } from "../../core/events.ts";
import { parseMentions } from "../../core/mentions.ts";
import type { Source, TurnInfo } from "../../core/source.ts";
import type { Desk } from "../files/desk.ts";
import type { Reader } from "../files/reader.ts";
import { hashOf } from "../files/version.ts";
import { attachFile, type Room } from "./attach.ts";
import { loadDirectory, loadFile } from "./load.ts";
import { type ResolvedMentions, resolveMentions } from "./resolve.ts";

type Unresolved = ResolvedMentions["unresolved"];

// What one prompt can bring, so that a pasted log does not empty a disk into a request.
const MOST = 50;

export function createMentionsSource(desk: Desk): Source<"mentioned"> {
  return {
    fact: "mentioned",
    forPrompt: true,
    async observe(turn, signal) {
      const mentions = parseMentions(turn.userPrompt ?? "", { servers: [], agents: [] });
      if (mentions.length === 0) return { found: 0, unresolved: [] };
      const reader = await desk.reader();
      const found = await resolveMentions(mentions, {
        cwd: desk.cwd,
        home: desk.home,
        stat: (path) => reader.stat(path, { signal }),
      });
      const unresolved: Unresolved = [...found.unresolved];
      const events = [
        ...(await filesOf(found, { reader, turn, signal, unresolved })),
        ...(await directoriesOf(found, { reader, turn, signal, unresolved })),
      ];
      await turn.record(events);
      return { found: events.length, unresolved };
    },
  };
}

interface Looking {
  reader: Reader;
  turn: TurnInfo;
  signal: AbortSignal;
  unresolved: Unresolved;
}

async function filesOf(
  { files }: ResolvedMentions,
  { reader, turn, signal, unresolved }: Looking,
): Promise<SessionEvent[]> {
  const room: Room = { left: turn.settings.max_prompt_tokens, isEmpty: true };
  const events: SessionEvent[] = [];
  for (const file of files) {
    if (events.length >= MOST) {
      unresolved.push({ text: file.path, reason: `more than ${MOST} files are mentioned` });
      continue;
    }
    const loaded = await loadFile(file, { reader, work: turn.work, signal });
    if (loaded.kind === "refused") unresolved.push({ text: file.path, reason: loaded.why });
    else events.push(await attachFile(file, loaded, { turn, room, reason: "mention" }));
  }
  return events;
}

async function directoriesOf(
  { directories }: ResolvedMentions,
  { reader, turn, signal, unresolved }: Looking,
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for (const path of directories.slice(0, MOST)) {
    const listed = await loadDirectory(path, { reader, signal });
    if (listed.kind === "refused") {
      unresolved.push({ text: path, reason: listed.why });
      continue;
    }
    const hash = hashOf(listed.content);
    if (turn.facts.attached.said[path] === hash)
      unresolved.push({ text: path, reason: "the same listing is in view" });
    else
      events.push({
        type: "file_attached",
        path,
        for: "mention",
        content: { type: "directory", content: listed.content },
        hash,
      });
  }
  return events;
}
