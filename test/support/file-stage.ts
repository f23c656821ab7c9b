// What a conversation about changing files is made of, and what all of them in one world share.

import type { Session } from "sotto";
import type { WireMessage } from "./agent-wire.ts";
import type { Beliefs, Marked } from "./believed-files.ts";
import type { ChangingFile, ChangingFiles, Content } from "./changing-files.ts";
import type { FileWorld } from "./file-world.ts";
import type { Random } from "./seeded.ts";

/** What all conversations of one world share. */
export interface Stage {
  world: FileWorld;
  random: Random;
  changing: ChangingFiles;
  marks: Marked[];
  meant: Map<string, Content[]>;
  /** All that anybody was handed: nothing secret may stand in it. */
  handed: string[];
  /** How many notices were judged. */
  count: number;
  /** What happened so far, for whoever has to find out why. */
  story: string[];
}

export interface Talk {
  /** The processes that work on it: one turn each. */
  sessions: Session[];
  /** Sends whole requests; else it places reminders itself. */
  sendsBodies: boolean;
  messages: WireMessage[];
  /** Where each turn began. */
  rounds: Round[];
  /** How the last turn ended. */
  ending: Ending;
  /** What the model knew at the last turn, and what stood there; nothing where it has gone back since. */
  known: Beliefs | undefined;
  since: number;
  /** It went back, and said so. */
  wentBack: boolean;
  /** What tasks wrote, as they said. */
  tasks: Map<ChangingFile, Content[]>;
}

export interface Round {
  number: number;
  before: WireMessage[];
  /** How the one before ended. */
  ending: Ending;
  isMention: boolean;
}

/** `ask again`: nobody answered, and nobody said so. */
export type Ending = "commit" | "answer" | "abandon" | "ask again";
