// The mail of this agent: letters in its box, and the file that agents of other programs write to. Each letter is
// recorded, and only then moved or marked; one that is found again is recognised by its id.

import { realpath } from "node:fs/promises";
import type { Mail } from "../../facts/facts.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { FileAccess } from "../files/file-access.ts";
import type { Source, TurnInfo } from "../source.ts";
import { type BadLetter, isOwnBox, lookInto, putAway, setAside, tidy } from "./letters.ts";
import type { FileBox, FileLook } from "./mailbox-file.ts";
import { isTeamName, type MailAddress, mailboxPath } from "./mailbox-path.ts";

export interface MailboxOptions {
  fileAccess: FileAccess;
  /** Whose letters are read. Default: nobody's. */
  address?: MailAddress | undefined;
  /** Whose file is read. Default: the session's own. */
  teammate?: string | undefined;
}

// Far more than a turn sends; the rest waits in the box.
const MOST_PER_TURN = 500;
const BAD_KEPT = 20;
const NOTHING: FileLook = { received: 0, bad: [] };

export function createMailboxSource({ fileAccess, address, teammate }: MailboxOptions): Source<"mail"> {
  const letters = address === undefined ? undefined : createLetters(address, fileAccess);
  const file = createFile(fileAccess, teammate);
  return {
    fact: "mail",
    async observe(turn, signal) {
      // A failure of one does not affect the other.
      const [box, ofFile] = await Promise.allSettled([letters?.(turn, signal), file(turn, signal)]);
      if (box.status === "rejected") throw box.reason;
      if (ofFile.status === "rejected") throw ofFile.reason;
      const { received = 0, bad = [], aside = 0 } = box.value ?? {};
      return {
        received: received + ofFile.value.received,
        bad: [...bad, ...ofFile.value.bad],
        aside: aside + ofFile.value.bad.length,
        ...(ofFile.value.later === undefined ? {} : { later: ofFile.value.later }),
      };
    },
  };
}

type Look<Found> = (turn: TurnInfo, signal: AbortSignal) => Promise<Found>;

function createLetters(address: MailAddress, { cwd, home }: FileAccess): Look<Mail> {
  const bad: BadLetter[] = [];
  let aside = 0;
  let tidied: string | undefined;
  return async ({ settings, record }, signal) => {
    const root = settings.mailbox_dir;
    if (root === "") return { received: 0, bad: [], aside: 0 };
    const box = mailboxPath(root, address, { cwd, home });
    const isOwn = await isOwnBox(box, isInProject(root) ? cwd : "/").catch(missing);
    if (isOwn === undefined) return { received: 0, bad: [...bad], aside };
    if (!isOwn) throw new Error(`${box} leads elsewhere and is not read`);
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
  };
}

function createFile(fileAccess: FileAccess, teammate: string | undefined): Look<FileLook> {
  let opened: { path: string; box: FileBox } | undefined;
  return async (turn, signal) => {
    const root = turn.settings.mailbox_file_dir;
    if (root === "") return NOTHING;
    const id = teammate ?? turn.session.replace(/[^\w.-]+/gu, "-");
    if (!isTeamName(id)) {
      if (teammate === undefined) return NOTHING;
      throw new Error("CLAUDE_CODE_TEAMMATE_ID cannot be used: letters, digits, _ . @ - are, up to 100");
    }
    const { cwd, home } = fileAccess;
    const within = isInProject(root) ? cwd : undefined;
    const directory = absolutePath(root.startsWith("~/") ? `${home}${root.slice(1)}` : root, cwd);
    // Most projects have none.
    const real = await realpath(directory).catch(missing);
    if (real === undefined) return NOTHING;
    if (within !== undefined && !`${real}/`.startsWith(`${await realpath(within)}/`))
      throw new Error(`${directory} leads elsewhere and is not read`);
    const path = `${real}/${id}.json`;
    if (opened?.path !== path) {
      const [reader, { createFileBox }] = await Promise.all([
        fileAccess.reader(),
        import("./mailbox-file.ts"),
      ]);
      opened = { path, box: createFileBox(path, reader) };
    }
    return opened.box.look(turn, signal);
  };
}

/** In the project it must really be inside; elsewhere it must be where the user said. */
function isInProject(root: string): boolean {
  return !root.startsWith("~") && absolutePath(root, "/a") !== absolutePath(root, "/b");
}

/** No box yet: nobody has written. */
function missing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
