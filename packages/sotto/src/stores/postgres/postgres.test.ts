// The Postgres store: the contract, under a clock that the tests set.

import { testSchema } from "../../../../../test/support/postgres.ts";
import { describeStore } from "../../../../../test/support/store-contract.ts";
import { createPostgresStore } from "./postgres.ts";

describeStore("postgres", async () => {
  const schema = await testSchema();
  const open = () => createPostgresStore({ connectionString: schema.url });
  const store = open();
  await store.sessions();
  await schema.query("CREATE TABLE $SCHEMA.test_clock AS SELECT 1000::double precision AS ms");
  await schema.query(
    "CREATE OR REPLACE FUNCTION $SCHEMA.clock() RETURNS double precision LANGUAGE sql VOLATILE AS 'SELECT ms FROM $SCHEMA.test_clock'",
  );
  return {
    store,
    reopen: async () => open(),
    setClock: async (now) => void (await schema.query("UPDATE $SCHEMA.test_clock SET ms = $1", [now])),
    cleanup: schema.drop,
  };
});
