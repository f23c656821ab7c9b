// Postgres through the whole engine, and what can go wrong between them: a lost answer, a server that stalls, dies or is
// replaced by its replica. Nothing is lost, nothing is said twice, and the request goes out in time.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AnthropicBody, anthropicMessages, createSession, type Session } from "sotto";
import type { Store } from "sotto/extend";
import { createPostgresStore } from "sotto/postgres";
import { expect, it, onTestFinished } from "vitest";
import { useOwnDeadlines } from "../support/deadlines.ts";
import { postgresUrl, testSchema } from "../support/postgres.ts";
import { times } from "../support/runs.ts";
import { PASSWORD, startPostgres } from "../support/servers/postgres-server.ts";
import { note, numbers, textOf } from "../support/store-notes.ts";
import { countCanaries, toEvent } from "./canaries.ts";
import { type CuttingProxy, type ProxyOptions, startProxy } from "./cutting-proxy.ts";
import { routeTurns } from "./routing.ts";

useOwnDeadlines();

/** A store behind a proxy on a schema of the test's own. */
async function behindProxy(options: Omit<ProxyOptions, "to"> = {}, waitMs = 60_000) {
  const schema = await testSchema();
  const port = Number(new URL(await postgresUrl()).port);
  const proxy = await startProxy({ to: port, ...options });
  const store = createPostgresStore({ connectionString: through(schema.url, proxy), waitMs });
  onTestFinished(async () => {
    await store.close();
    await proxy.close();
    await schema.drop();
  });
  return { schema, proxy, store };
}

function through(url: string, { port }: CuttingProxy): string {
  return url.replace(/:\d+\//u, `:${port}/`);
}

function sessionOn(store: Store, timeoutMs = 30_000): Session {
  return createSession({
    id: "s",
    cwd: "/",
    agent: { kind: "main" },
    store,
    config: { timeout_ms: timeoutMs },
  });
}

const say = (word: string) => toEvent({ word, kind: "message" });

function request(...texts: string[]): AnthropicBody {
  return {
    messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
  };
}

const wordsIn = (value: unknown) => [...countCanaries(JSON.stringify(value)).entries()].sort();

it.each(["client", "server"] as const)(
  "AC-38: a connection cut in the middle of an append, before or after the commit, is appended once (cut from the %s)",
  async (side) => {
    let isCutting = false;
    let cut = 0;
    const { store } = await behindProxy({
      cuts(from) {
        if (!isCutting || from !== side) return false;
        isCutting = false;
        cut++;
        return true;
      },
    });
    for (const n of numbers(20)) {
      isCutting = n % 2 === 0;
      const claim = { keys: [`k${n}`], owner: "me", now: 0, expiresAt: 60_000 };
      expect(await store.append("a", { entries: [note(n), note(n)], claim })).toEqual({
        ok: true,
        first: 2 * n - 1,
        last: 2 * n,
      });
    }
    expect(cut).toBe(10);
    const { entries } = await store.read("a", 0);
    expect(entries.map(textOf)).toEqual(numbers(20).flatMap((n) => [String(n), String(n)]));
  },
);

it("a statement that arrives after its own repetition changes nothing", async () => {
  const { schema, store } = await behindProxy();
  await store.append("a", { entries: [note(1)] });
  const [row] = await schema.query("SELECT batch FROM $SCHEMA.entries");
  await expect(
    schema.query(
      "SELECT $SCHEMA.append('a', NULL, $1, false, ARRAY['x'], ARRAY['{}'], '{}', NULL, 0, '{}', '{}', NULL)",
      [row?.batch],
    ),
  ).rejects.toMatchObject({ code: "23505" });
  expect((await store.read("a", 0)).last).toBe(1);
  expect(await store.append("a", { entries: [note(2)] })).toEqual({ ok: true, first: 2, last: 2 });
});

it("AC-38: a stalled database: the turn keeps its deadline, the request has what is known, the rest stays due", async () => {
  const { proxy, store } = await behindProxy({}, 120_000);
  const session = sessionOn(store);
  await session.record(say("CANARY-OLD"));
  const first = await session.turn({ dialect: anthropicMessages, body: request("Prompt 1.") });
  await first.commit();
  await session.record(say("CANARY-NEW"));
  // The same session, in a hurry.
  const hasty = sessionOn(store, 300);
  await hasty.open();
  proxy.stall(true);
  const body = request("Prompt 1.", "Answer 1.", "Prompt 2.");
  const started = performance.now();
  const turn = await hasty.turn({ dialect: anthropicMessages, body });
  // Far below what the store waits, far above what a busy machine adds.
  expect(performance.now() - started).toBeLessThan(30_000);
  expect([wordsIn(turn.body), turn.reminders, turn.problem]).toEqual([
    [["CANARY-OLD", 1]],
    [],
    "the log did not answer in time",
  ]);
  proxy.stall(false);
  const next = await session.turn({ dialect: anthropicMessages, body });
  expect(wordsIn(next.body)).toEqual([
    ["CANARY-NEW", 1],
    ["CANARY-OLD", 1],
  ]);
  await next.commit();
  await Promise.all([session.close(), hasty.close()]);
});

it("a server that was killed and started again: calls wait for it, and followers are told what they missed", async () => {
  const server = await startPostgres();
  const store = createPostgresStore({ connectionString: server.url, waitMs: 60_000 });
  const following = new AbortController();
  let wake: () => void = () => undefined;
  onTestFinished(async () => {
    following.abort();
    await followed;
    await store.close();
    await server.remove();
  });
  await store.append("a", { entries: [note(0)] });
  const followed = store.follow?.("a", { signal: following.signal, wake: () => wake() });
  for (const [index, signal] of (["SIGKILL", "SIGQUIT", "SIGINT"] as const).entries()) {
    await server.end(signal);
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const appended = store.append("a", { entries: [note(index + 1)] });
    await server.start();
    expect(await appended).toMatchObject({ ok: true, first: index + 2 });
    await woken;
  }
  expect((await store.read("a", 0)).entries.map(textOf)).toEqual(["0", "1", "2", "3"]);
});

it.each([
  ["has applied what it received", false],
  ["has applied nothing yet, not even the schema", true],
])(
  "AC-38: a failover to a replica with synchronous commits that %s loses nothing that was acknowledged",
  async (_, isBehind) => {
    const primary = await startPostgres({
      settings: ["wal_level = replica", "max_wal_senders = 4", "wal_keep_size = 64MB"],
    });
    onTestFinished(primary.remove);
    await primary.end("SIGINT");
    const follows = `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres password=${PASSWORD} application_name=replica'`;
    writeFileSync(join(primary.data, "standby.signal"), "");
    const replicating = startPostgres({ from: primary.data, settings: [follows, "hot_standby = on"] });
    const replica = await replicating;
    onTestFinished(replica.remove);
    rmSync(join(primary.data, "standby.signal"));
    await primary.start();
    await expect
      .poll(() => primary.query("SELECT state FROM pg_stat_replication"))
      .toEqual([{ state: "streaming" }]);
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'replica'");
    await primary.query("SELECT pg_reload_conf()");
    await expect
      .poll(() => primary.query("SELECT sync_state FROM pg_stat_replication"))
      .toEqual([{ sync_state: "sync" }]);
    if (isBehind) await replica.query("SELECT pg_wal_replay_pause()");

    const proxy = await startProxy({ to: primary.port });
    const store = createPostgresStore({ connectionString: through(primary.url, proxy), waitMs: 60_000 });
    onTestFinished(async () => {
      await store.close();
      await proxy.close();
    });
    let isOver = false;
    const acknowledged: number[] = [];
    const writing = (async () => {
      for (let n = 1; !isOver; n++) {
        await store.append("a", { entries: [note(n)] });
        acknowledged.push(n);
      }
    })();
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    await primary.end("SIGKILL");
    proxy.leadTo(replica.port);
    const before = acknowledged.length;
    // The next append has been tried there.
    const tries = "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_is_in_recovery()'";
    if (isBehind) await expect.poll(() => replica.query(tries)).not.toEqual([]);
    // Without waiting for it: that would be a query that what is left to apply may have to wait for.
    await replica.query("SELECT pg_promote(false)");
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 20);
    isOver = true;
    await writing;
    const { entries, damaged } = await store.read("a", 0);
    expect(damaged).toEqual([]);
    expect(entries.map((entry) => Number(textOf(entry)))).toEqual(acknowledged);
  },
);

it("AC-38: turns routed to a random process each go on from one another, as with one process", async () => {
  const schema = await testSchema();
  onTestFinished(schema.drop);
  const report = await routeTurns({ url: schema.url, seed: 1, processes: 3, sessions: times(40), turns: 4 });
  expect(report.problems).toEqual([]);
  expect(report).toMatchObject({ turns: 4 * times(40), moved: expect.any(Number) });
});
