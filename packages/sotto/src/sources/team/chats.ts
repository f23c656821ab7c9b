// The chats of the team: what this agent has not read is counted, and recorded when it changes.

import { errorText } from "../../platform/errors.ts";
import type { Collab } from "../../facts/facts.ts";
import { chatsPath, type MailAddress } from "./mailbox-path.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { Source } from "../source.ts";
import { readFrom } from "./channel.ts";
import { listChats } from "./list-chats.ts";
import { markOf } from "./marks.ts";

export interface ChatsOptions {
  address: MailAddress;
  cwd: string;
  home: string;
}

interface Count {
  mark: number;
  /** Counted so far. */
  end: number;
  unread: number;
}

const PROBLEMS_KEPT = 20;

export function createChatsSource({ address, cwd, home }: ChatsOptions): Source<"collab"> {
  const { team, agent } = address;
  const counts = new Map<string, Count>();
  const problems: { chat: string; reason: string }[] = [];
  const report = (chat: string, reason: string) => {
    if (problems.some((one) => one.chat === chat && one.reason === reason)) return;
    problems.push({ chat, reason });
    problems.splice(0, problems.length - PROBLEMS_KEPT);
  };

  /** Only what is new since the last look is read. */
  const count = async (directory: string, chat: string, signal: AbortSignal): Promise<Count> => {
    const mark = await markOf({ directory, agent }, chat);
    const known = counts.get(chat);
    let now: Count = known?.mark === mark ? known : { mark, end: mark, unread: 0 };
    for (;;) {
      const part = await readFrom(directory, chat, now.end);
      for (const reason of part.wrong) report(chat, reason);
      // Shorter than it was: all of it is new.
      const before = part.end < now.end ? 0 : now.unread;
      const added = part.messages.filter(({ message }) => message.from !== agent).length;
      now = { mark, end: part.end, unread: before + added };
      counts.set(chat, now);
      if (!part.more) return now;
      if (signal.aborted) throw new Error("there was no time to read all of the chats");
    }
  };

  return {
    fact: "collab",
    async observe({ settings, facts, record }, signal): Promise<Collab> {
      const root = settings.mailbox_dir;
      if (root === "") return { chats: 0, problems: [] };
      const directory = chatsPath(root, team, { cwd, home });
      const isInProject = !root.startsWith("~") && absolutePath(root, "/a") !== absolutePath(root, "/b");
      const names = await listChats(directory, isInProject ? cwd : "/");
      const unread: { handle: string; unreadCount: number }[] = [];
      const read = new Set<string>();
      for (const chat of names) {
        const before = counts.get(chat);
        try {
          const now = await count(directory, chat, signal);
          if (before !== undefined && before.mark !== now.mark) read.add(chat);
          if (now.unread > 0) unread.push({ handle: chat, unreadCount: now.unread });
        } catch (error) {
          if (signal.aborted) throw error;
          report(chat, errorText(error));
        }
      }
      // As many as before, but others: what was read is gone first.
      const others = unread.filter(({ handle }) => !read.has(handle));
      const isNews = JSON.stringify(unread) !== JSON.stringify(facts.chats.unread);
      if (names.length > 0 && (isNews || others.length < unread.length))
        await record([
          ...(others.length < unread.length ? [{ type: "chats_changed" as const, chats: others }] : []),
          { type: "chats_changed", chats: unread },
        ]);
      return { chats: names.length, problems: [...problems] };
    },
  };
}
