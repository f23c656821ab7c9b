// The password of an address is never shown, however the address is spelt.

import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { createRedaction, redactedUrl } from "./redact-url.ts";

it.each([
  ["postgres://u:secret@h:5432/d?sslmode=require", "postgres://u:***@h:5432/d?sslmode=require"],
  ["postgresql://u:se%40cret@h/d", "postgresql://u:***@h/d"],
  ["postgres://u:a@b/c#d@h/d", "postgres://u:***@h/d"],
  ["postgres://h/d?user=u&password=secret", "postgres://h/d?user=u&password=***"],
  ["postgres:/u:secret@h/d", "postgres:/u:***@h/d"],
  ["postgress://u:secret@h/d", "postgress://u:***@h/d"],
  ["postgres://u:p@127.0.0.1:1/x", "postgres://u:***@127.0.0.1:1/x"],
  ["postgres://u:1@127.0.0.1:1/x?password=1", "postgres://u:***@127.0.0.1:1/x?password=***"],
  ["postgres://p:::@h/d", "postgres://p:***@h/d"],
  ["postgres://u@h/d", "postgres://u@h/d"],
  ["/var/lib/sotto.db", "/var/lib/sotto.db"],
])("%s", (url, shown) => {
  expect(redactedUrl(url)).toBe(shown);
});

it("is taken out of errors as well, escaped or not, whole or in pieces", () => {
  const redact = createRedaction("postgres://u:pass%2Fword@h/d", ["from-environment"]);
  expect(redact("a pass%2Fword, a pass/word, from-environment")).toBe("a ***, a ***, ***");
  const pieces = createRedaction("postgres://u:left/right@h/d", []);
  expect(pieces("getaddrinfo ENOTFOUND left; database right@h/d")).toBe(
    "getaddrinfo ENOTFOUND ***; database ***@h/d",
  );
});

it("any password", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (password) => {
      const url = `postgres://someone:${encodeURIComponent(password.toWellFormed())}@127.0.0.1/base`;
      expect(redactedUrl(url)).toBe("postgres://someone:***@127.0.0.1/base");
    }),
    runs(500),
  );
});
