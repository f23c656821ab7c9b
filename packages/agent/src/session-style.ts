// The style a session begins with, and a change of it: the log knows which one holds, so that it is reminded of.

import type { Session, Store } from "sotto";
import { readEvents } from "../../sotto/src/log/read-events.ts";
import { DEFAULT_STYLE, type OutputStyle } from "./built-in.ts";
import type { Styles } from "./output-styles.ts";

export interface StyleStart {
  /** As the user names it. */
  given: string | undefined;
  /** The session it goes on with or from. */
  before: string | undefined;
  store: Store;
}

export interface BegunStyle {
  problems: string[];
  /** Once the session is open. */
  record(session: Session): Promise<void>;
}

/** One that goes on keeps its style. Throws where the user names one that is not there. */
export async function beginStyle(styles: Styles, { given, before, store }: StyleStart): Promise<BegunStyle> {
  const known =
    before === undefined ? undefined : (await readEvents(store, before, "style_changed")).at(-1)?.style;
  const problems: string[] = [];
  if (given !== undefined) await styles.use(given);
  else if (known !== undefined)
    await styles.use(known).catch((error: Error) => {
      problems.push(`the output style of this session is the default again: ${error.message}`);
    });
  return {
    problems,
    async record(session) {
      const style = styles.current.name;
      if (style !== (known ?? DEFAULT_STYLE.name)) await session.record({ type: "style_changed", style });
    },
  };
}

/** From the next call on; false where it is in use already. */
export async function changeStyle(
  styles: Styles,
  session: Session,
  name: string,
): Promise<{ style: OutputStyle; isNew: boolean }> {
  const before = styles.guidelines();
  const style = await styles.use(name);
  await session.record({ type: "style_changed", style: style.name });
  return { style, isNew: styles.guidelines() !== before };
}
