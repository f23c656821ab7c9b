// `sotto store migrate`: brings the tables of a Postgres store to this version, with a role that may create them.

import { count, type ExitCode, usageError } from "sotto-agent/terminal";
import { writeJson, writeLine } from "../output/write.ts";
import { storePlace } from "../sessions/open-store.ts";
import { type Define, examples, json, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Brings the tables of a Postgres store to this version, in one transaction. Any use of a store does the same if its role may; this is for a role of its own. SQLite stores are migrated when they are opened.",
    )
    .option("--dry-run", "print the SQL and change nothing")
    .addOption(store())
    .addOption(json("{store, schema, from, to, statements}"))
    .addHelpText(
      "after",
      examples(
        "sotto store migrate --store postgres://owner@db.internal/agents --dry-run",
        "sotto store migrate --store postgres://owner@db.internal/agents",
      ),
    )
    .action(action(storeMigrate));

export interface StoreMigrateCommand {
  dryRun?: boolean;
  store?: string;
  json?: boolean;
}

async function storeMigrate(command: StoreMigrateCommand): Promise<ExitCode> {
  const place = storePlace(command.store);
  if (place.kind !== "postgres")
    throw usageError("only Postgres stores need this: SQLite stores are migrated when they are opened");
  const { migratePostgres, planPostgresMigration } = await import("sotto/postgres");
  const run = command.dryRun ? planPostgresMigration : migratePostgres;
  const done = await run({ connectionString: place.url });
  if (command.json) await writeJson(done);
  else {
    const { schema, from, to, statements } = done;
    const is = `schema ${schema} of ${done.store}`;
    if (statements.length === 0) await writeLine(`${is} has version ${to}: nothing to do`);
    else if (command.dryRun)
      await writeLine(`-- ${is}: version ${from} to ${to}\nBEGIN;\n${statements.join("\n")}\nCOMMIT;`);
    else await writeLine(`${is}: version ${from} to ${to}, ${count(statements.length, "step")}`);
  }
  return 0;
}
