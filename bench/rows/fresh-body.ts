// A turn with a body that was parsed anew, as servers and hosts that keep JSON have it.

import type { Bench } from "../bench.ts";
import { median } from "../figures.ts";
import { requestOf, talk, talkOn } from "../inputs/conversation.ts";
import { quietSession, quietTurn } from "../inputs/quiet-session.ts";

const TURNS = 12;
const WARM_UP = 30;
// A process that gets such bodies has taken thousands of turns, so the code is compiled; JSON.parse always is.
const TURNS_BEFORE = 2000;
// The first turn reads everything; that is another row's.
const PATIENT = { timeout_ms: 60_000 };

export async function measure(bench: Bench): Promise<void> {
  const before = await freshBodies(10, { turns: TURNS_BEFORE });
  await before.ours();
  await before.close();
  for (const messages of [1_000, 10_000]) {
    const { ours, theirs, close, size } = await freshBodies(messages);
    await bench.row({
      name: `turn, a freshly parsed body of ${messages.toLocaleString("en")} messages, ${(size / 1e6).toFixed(1)} MB`,
      unit: "ms",
      baseline: "JSON.parse of that body",
      goal: { timesWorse: 1.5 },
      ours,
      theirs,
    });
    await close();
  }
}

/** One more exchange each turn. Both sides get the same texts; parsing is not in our time. */
export async function freshBodies(messages: number, { turns = TURNS, warmUp = WARM_UP } = {}) {
  const history = talk(messages);
  const session = await quietSession({ config: PATIENT });
  const next = () => {
    talkOn(history);
    return JSON.stringify(requestOf(history));
  };
  const parsed = (text: string) => (JSON.parse(text) as { messages: typeof history }).messages;
  const ours = async (count = turns) => {
    const times: number[] = [];
    for (let turn = 0; turn < count; turn++) times.push(await quietTurn(session, parsed(next())));
    return median(times);
  };
  await ours(warmUp);
  return {
    size: JSON.stringify(requestOf(history)).length,
    ours: () => ours(),
    theirs: () => {
      const text = JSON.stringify(requestOf(history));
      const times: number[] = [];
      for (let turn = 0; turn < turns; turn++) {
        const from = performance.now();
        if (parsed(text).length !== history.length) throw new Error("messages were lost");
        times.push(performance.now() - from);
      }
      return median(times);
    },
    close: () => session.close(),
  };
}
