// Muting a type in a session that may run in another process: the change goes into its log, and its next turn sees it.

import { catalogue } from "../attachments/catalogue.ts";
import { type ConfigTable, changeConfig, oneName } from "../config/layers.ts";
import { namesIn, typesNamed } from "../config/schema.ts";
import type { Entry, NewEntry, Store } from "../log/entries.ts";
import { stamp } from "../log/journal.ts";
import { checkOptions, having, table, text } from "../platform/check-options.ts";
import { SottoError } from "../platform/errors.ts";
import { nearest } from "../platform/nearest.ts";
import { isTable } from "../platform/plain-data.ts";

/** What `mute` and `unmute` take. */
export interface MuteOptions {
  /** The store that holds the session. */
  store: Store;
  /** The session's id. */
  session: string;
  /** A type, a generator or an alias, as in config. */
  name: string;
}

const ofSession = {
  store: having({ append: "function", read: "function" }, "a store, such as createSqliteStore({ path })"),
  session: text("the id of a session"),
};
const muteOptions = table(
  { ...ofSession, name: text("a type, a generator or an alias") },
  "options such as { store, session, name }",
);

/** Mutes a type in a session from its next turn on. Returns the types that are muted by it. */
export async function mute(options: MuteOptions): Promise<string[]> {
  checkOptions("mute", muteOptions, options);
  return change(options, false);
}

/** Unmutes a type: config decides again. Returns the types that had been muted. */
export async function unmute(options: MuteOptions): Promise<string[]> {
  checkOptions("unmute", muteOptions, options);
  const { store, session } = options;
  const before = new Set(await mutedTypes({ store, session }));
  const types = await change(options, null);
  return types.filter((type) => before.has(type));
}

/** Lists the types that were muted in a session. */
export async function mutedTypes(options: Omit<MuteOptions, "name">): Promise<string[]> {
  checkOptions("mutedTypes", table(ofSession, "options such as { store, session }"), options);
  const { store, session } = options;
  const { entries } = await store.read(session, 0);
  const config = entries.reduce<ConfigTable>(
    (before, entry) =>
      entry.kind === "event" && entry.event.type === "config_changed"
        ? changeConfig(before, entry.event.config)
        : before,
    {},
  );
  const switches = isTable(config.attachments) ? Object.entries(config.attachments) : [];
  const off = switches.filter(([, value]) => value === false || (isTable(value) && value.enabled === false));
  return [...new Set(off.flatMap(([name]) => typesOf(name)))];
}

async function change({ store, session, name }: MuteOptions, enabled: false | null): Promise<string[]> {
  const { entries } = await store.read(session, 0);
  checkName(name, entries);
  const types = typesOf(name);
  // A type's own switch has the last word over its generator's: all of them are set.
  const alone = types.filter((type) => typesNamed(type, catalogue).length <= 1);
  const names = new Set([oneName(name, catalogue), ...alone.map((type) => oneName(type, catalogue))]);
  const attachments = Object.fromEntries([...names].map((one) => [one, { enabled }]));
  const event = { type: "config_changed" as const, config: { attachments } };
  const entry: NewEntry = stamp(new Date().toISOString(), { kind: "event" as const, event });
  const appended = await store.append(session, { entries: [entry] });
  if (!appended.ok) throw new SottoError("store_failed", "the change could not be written");
  return types;
}

function typesOf(name: string): string[] {
  const types = typesNamed(name, catalogue).map(({ type }) => type);
  return types.length === 0 ? [name] : types;
}

/** A host's own types are known by what became of them. */
function checkName(name: string, entries: readonly Entry[]): void {
  const seen = entries.flatMap((entry) => (entry.kind === "turn" ? Object.keys(entry.outcomes) : []));
  const names = [...new Set([...namesIn(catalogue), ...seen])];
  if (names.includes(name)) return;
  const right = nearest(name, names);
  const hint = right === undefined ? "; `sotto catalog` lists what there is" : `; did you mean "${right}"?`;
  throw new SottoError("invalid_config", `"${name}" is no type of reminder${hint}`);
}
