// The mailbox of this agent: each letter is recorded, and only then moved. One that is found again is the same by its id.

import { type MailAddress, mailboxPath } from "../../core/mailbox-path.ts";
import { absolutePath } from "../../core/path.ts";
import type { Source } from "../../core/source.ts";
import { type BadLetter, isOwnBox, lookInto, putAway, setAside, tidy } from "./box.ts";

export interface MailboxOptions {
  address: MailAddress;
  cwd: string;
  home: string;
}

// Far more than a turn says; the rest waits in the box.
const MOST_PER_TURN = 500;
const BAD_KEPT = 20;

export function createMailboxSource({ address, cwd, home }: MailboxOptions): Source<"mail"> {
  const bad: BadLetter[] = [];
  let aside = 0;
  let tidied: string | undefined;
  return {
    fact: "mail",
    async observe({ settings, record }, signal) {
      const root = settings.mailbox_dir;
      if (root === "") return { received: 0, bad: [], aside: 0 };
      const box = mailboxPath(root, address, { cwd, home });
      // One in the project must really be in there; elsewhere it must be where the user said.
      const isInProject = !root.startsWith("~") && absolutePath(root, "/a") !== absolutePath(root, "/b");
      const isOwn = await isOwnBox(box, isInProject ? cwd : "/").catch(missing);
      if (isOwn === undefined) return { received: 0, bad: [...bad], aside };
      if (!isOwn) throw new Error(`${box} leads somewhere else and is not read`);
      const now = Date.now();
      const found = await lookInto(box, { most: MOST_PER_TURN, signal, now });
      await record(found.letters.map(({ event }) => event));
      await putAway(
        box,
        found.letters.map(({ file }) => file),
      );
      await setAside(box, found.bad);
      aside += found.bad.length;
      bad.push(...found.bad);
      bad.splice(0, bad.length - BAD_KEPT);
      if (tidied !== box && !found.more) await tidy(box, now).catch(() => undefined);
      tidied = box;
      return { received: found.letters.length, bad: [...bad], aside };
    },
  };
}

/** No box yet: nobody has written. */
function missing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
