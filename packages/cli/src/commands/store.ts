// `sotto store`: the group of commands that maintain the session store.

import { type Define, examples } from "./options.ts";
import { define as check } from "./store-check.ts";
import { define as exportSessions } from "./store-export.ts";
import { define as importSessions } from "./store-import.ts";
import { define as migrate } from "./store-migrate.ts";
import { define as prune } from "./store-prune.ts";
import { define as purge } from "./store-purge.ts";

export const define: Define = (group, action) => {
  group
    .description("Maintains the store that holds the sessions.")
    .helpCommand(false)
    .addHelpText(
      "after",
      examples(
        "sotto store check",
        "sotto store export build-7 --blobs --out build-7.jsonl",
        "sotto store prune --older-than 30 --dry-run",
      ),
    );
  check(group.command("check").summary("check that everything in the store can be read"), action);
  exportSessions(group.command("export").summary("write sessions as JSON Lines"), action);
  importSessions(group.command("import").summary("read sessions from an export"), action);
  migrate(group.command("migrate").summary("bring the tables of a Postgres store to this version"), action);
  prune(group.command("prune").summary("remove old sessions and unused blobs"), action);
  purge(group.command("purge").summary("permanently remove a session, or all of them"), action);
};
