// Maintenance of the database: what is wrong with it, how large its tables are, the space of removed rows.

import type { TableUsage } from "../../log/entries.ts";
import { damagedSnapshot, snapshotProblem } from "../batches.ts";
import type { Connection, Row } from "./connection.ts";
import { quoted } from "./schema.ts";
import { nameOf } from "./stored-text.ts";

const TABLES = ["sessions", "entries", "keys", "marks", "snapshots", "blobs"] as const;
const MOST_PROBLEMS = 100;
/** Sessions at a time, with their snapshots. */
const PAGE = 50;
/** These look at every row. */
const LONG_MS = 30 * 60_000;

export async function problemsIn(connection: Connection, schema: string, quick: boolean): Promise<string[]> {
  const s = quoted(schema);
  const rows = (text: string) => connection.run(() => ({ text: `${text} LIMIT ${MOST_PROBLEMS}` }), LONG_MS);
  const ahead = await rows(
    `SELECT p.session, n.name, p.seq, coalesce(n.last, 0) FROM ${s}.snapshots p
     LEFT JOIN ${s}.sessions n ON n.key = p.session WHERE p.seq > coalesce(n.last, 0) AND n.last > 0`,
  );
  const aheadWords = ahead.flatMap((row) =>
    snapshotProblem(shownName(row), { seq: Number(row[2]), last: Number(row[3]) }),
  );
  if (quick) return aheadWords;
  const strays = await Promise.all(
    ["entries", "keys", "marks"].map(async (table) => {
      const [row] = await rows(
        `SELECT count(*) FROM ${s}.${table} e WHERE NOT EXISTS (SELECT FROM ${s}.sessions n WHERE n.id = e.session)`,
      );
      return row?.[0] === "0" ? [] : [`${row?.[0]} rows in ${table} belong to no session`];
    }),
  );
  const gaps = await rows(
    `SELECT n.key, n.name, n.last, count(e.seq), max(e.seq) FROM ${s}.sessions n
     LEFT JOIN ${s}.entries e ON e.session = n.id GROUP BY n.id
     HAVING count(e.seq) <> n.last OR coalesce(max(e.seq), 0) <> n.last ORDER BY n.id`,
  );
  const gapWords = gaps.map(
    (row) => `session ${shownName(row)} has ${row[3]} entries, but they are numbered up to ${row[2]}`,
  );
  const found = await damagedTexts(connection, s);
  return [...strays.flat(), ...gapWords, ...aheadWords, ...found.slice(0, MOST_PROBLEMS)];
}

/** Names that do not belong to their sessions' keys, and snapshots that do not match their checksums. */
async function damagedTexts(connection: Connection, s: string): Promise<string[]> {
  const ask = (text: string, values: unknown[]) => connection.run(() => ({ text, values }), LONG_MS);
  const problems: string[] = [];
  for (let after = "0"; ; ) {
    const rows = await ask(
      `SELECT n.id, n.key, n.name, p.state FROM ${s}.sessions n LEFT JOIN ${s}.snapshots p ON p.session = n.key
       WHERE n.id > $1 ORDER BY n.id LIMIT ${PAGE}`,
      [after],
    );
    for (const [, key, name, state] of rows) {
      const real = nameOf(key ?? "", name ?? null);
      if (real === undefined)
        problems.push(`session ${key} has a name that is not its own: ${name ?? "none"}`);
      else if (state !== null) problems.push(...damagedSnapshot(real, state));
    }
    const last = rows.at(-1)?.[0];
    if (last === undefined || last === null) return problems;
    after = last;
  }
}

/** Exact row counts, and bytes with indexes. */
export async function usageOf(connection: Connection, schema: string): Promise<TableUsage[]> {
  const s = quoted(schema);
  const counts = TABLES.map(
    (name) =>
      `SELECT '${name}', (SELECT count(*) FROM ${s}.${name}), pg_total_relation_size('${s.replaceAll("'", "''")}.${name}')`,
  );
  const rows = await connection.run(() => ({ text: counts.join(" UNION ALL ") }), LONG_MS);
  return rows.map((row) => ({ table: text(row, 0), rows: Number(row[1]), bytes: Number(row[2]) }));
}

/** Frees the space of removed rows for new ones, without keeping anybody from writing. */
export async function vacuum(connection: Connection, schema: string): Promise<void> {
  const tables = TABLES.map((name) => `${quoted(schema)}.${name}`).join(", ");
  await connection.run(() => ({ text: `VACUUM ${tables}` }), LONG_MS);
}

/** Of a row that begins with a session's key and name. */
function shownName(row: Row): string {
  return nameOf(text(row, 0), row[1] ?? null) ?? text(row, 0);
}

function text(row: Row, index: number): string {
  return row[index] ?? "";
}
