// Maintenance of the database: what is wrong with it, how large its tables are, the space of removed rows.

import type { TableUsage } from "../../log/entries.ts";
import { snapshotProblem } from "../batches.ts";
import type { Connection, Row } from "./connection.ts";
import { quoted } from "./schema.ts";
import { readText } from "./stored-text.ts";

const TABLES = ["sessions", "entries", "keys", "marks", "snapshots", "blobs"] as const;
const MOST_PROBLEMS = 100;
/** These look at every row. */
const LONG_MS = 30 * 60_000;

export async function problemsIn(connection: Connection, schema: string, quick: boolean): Promise<string[]> {
  const s = quoted(schema);
  const rows = (text: string) => connection.run(() => ({ text: `${text} LIMIT ${MOST_PROBLEMS}` }), LONG_MS);
  const ahead = await rows(
    `SELECT coalesce(n.name, p.session), p.seq, coalesce(n.last, 0) FROM ${s}.snapshots p
     LEFT JOIN ${s}.sessions n ON n.key = p.session WHERE p.seq > coalesce(n.last, 0) AND n.last > 0`,
  );
  const aheadWords = ahead.flatMap((row) =>
    snapshotProblem(readText(text(row, 0)), { seq: Number(row[1]), last: Number(row[2]) }),
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
    `SELECT coalesce(n.name, n.key), n.last, count(e.seq), max(e.seq) FROM ${s}.sessions n
     LEFT JOIN ${s}.entries e ON e.session = n.id GROUP BY n.id
     HAVING count(e.seq) <> n.last OR coalesce(max(e.seq), 0) <> n.last ORDER BY n.id`,
  );
  const gapWords = gaps.map(
    (row) => `session ${readText(text(row, 0))} has ${row[2]} entries, but they are numbered up to ${row[1]}`,
  );
  return [...strays.flat(), ...gapWords, ...aheadWords];
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

function text(row: Row, index: number): string {
  return row[index] ?? "";
}
