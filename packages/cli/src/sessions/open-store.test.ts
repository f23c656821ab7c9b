// Which store a value of --store or SOTTO_STORE means, and that no password in it is repeated.

import { resolve } from "node:path";
import { expect, it } from "vitest";
import { storePlace } from "./open-store.ts";

const url = "postgres://own:Zx9SeCrEt@127.0.0.1/agents";

it.each([
  [url, { kind: "postgres", url }],
  [` ${url}\n`, { kind: "postgres", url }],
  [`\t"${url}"`, { kind: "postgres", url }],
  [`' ${url} '`, { kind: "postgres", url }],
  [`\ufeff${url}`, { kind: "postgres", url }],
  ["memory:", { kind: "memory" }],
  [" a.db ", { kind: "sqlite", path: resolve("a.db") }],
  ["sqlite:///tmp/a.db", { kind: "sqlite", path: "/tmp/a.db" }],
  ["file:///tmp/a.db", { kind: "sqlite", path: "/tmp/a.db" }],
  ["/tmp/user@host:1/a.db", { kind: "sqlite", path: "/tmp/user@host:1/a.db" }],
])("%j", (given, place) => {
  expect(storePlace(given)).toEqual(place);
});

it.each([
  `url=${url}`,
  `"${url}`,
  `sqlite:${url}`,
  `memory:${url}`,
  `file:${url}`,
  `jdbc:${url}`,
  "own:Zx9SeCrEt@127.0.0.1/agents",
  "postgres//own:Zx9SeCrEt@127.0.0.1/agents",
  "postgres:own:Zx9SeCrEt@127.0.0.1/agents",
  "postgres+ssl://own:Zx9SeCrEt@127.0.0.1/agents",
  "host=127.0.0.1 user=own password=Zx9SeCrEt",
  "PASSWORD = Zx9SeCrEt host=127.0.0.1",
])("refused, and not repeated: %s", (given) => {
  let thrown: unknown;
  try {
    storePlace(given, "SOTTO_STORE");
  } catch (error) {
    thrown = error;
  }
  expect(String(thrown)).toMatch(/SOTTO_STORE: .*postgres:\/\//u);
  expect(String(thrown)).not.toContain("Zx9");
});
