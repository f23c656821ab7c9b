// A dialect to be shown, and how a conversation is told in it.

import type { Dialect } from "../../packages/sotto/src/dialects/dialect.ts";
import type { Breakpoint } from "./dialect-samples.ts";
import type { Conversation, Telling } from "./histories.ts";

export interface Subject<Body> {
  dialect: Dialect<Body>;
  /** Writes a conversation as a request. */
  write(conversation: Conversation, telling?: Telling): Body;
  /** What the provider would refuse. */
  check(body: Body): string[];
  /** The provider refuses the beginning of an answer. */
  refusesPrefills?: true;
  /** How a block carries a cache breakpoint, where it can. */
  breakpoint?: Breakpoint;
}
