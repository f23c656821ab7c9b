import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTrustStore, trustPath } from "./user-trust-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-trust-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const open = () => openTrustStore(trustPath(join(directory, "deep", "state")));

describe("the trust store", () => {
  it("AC-50 knows a file by its content, and a changed one is asked for again", async () => {
    const book = open();
    expect(await book.state("/p/a", "one")).toBe("unknown");
    await book.allow([{ path: "/p/a", content: "one" }]);
    const again = open();
    expect(await again.state("/p/a", "one")).toBe("trusted");
    expect(await again.state("/p/a", "two")).toBe("changed");
    expect(await again.state("/p/b", "one")).toBe("unknown");
    expect(await again.state("__proto__", "one")).toBe("unknown");
    expect((await again.list()).map(({ path }) => path)).toEqual(["/p/a"]);
  });

  it("forgets what is revoked, at once, also for those who have it open", async () => {
    const [one, other] = [open(), open()];
    await one.allow([
      { path: "/p/a", content: "a" },
      { path: "/p/b", content: "b" },
    ]);
    expect(await other.revoke(["/p/a", "/p/c"])).toEqual(["/p/a"]);
    expect(await one.state("/p/a", "a")).toBe("unknown");
    expect(await one.state("/p/b", "b")).toBe("trusted");
  });

  it("is for its owner only, and leaves no draft behind", async () => {
    const book = open();
    await book.allow([{ path: "/p/a", content: "a" }]);
    await book.allow([{ path: "/p/b", content: "b" }]);
    const place = join(directory, "deep", "state");
    expect(readdirSync(place)).toEqual(["trust.json"]);
    expect(statSync(book.path).mode & 0o777).toBe(0o600);
    expect(statSync(place).mode & 0o777).toBe(0o700);
  });

  it("that others may write, or that is damaged, counts for nothing and says so", async () => {
    const book = open();
    await book.allow([{ path: "/p/a", content: "a" }]);
    chmodSync(book.path, 0o666);
    expect(await book.state("/p/a", "a")).toBe("unknown");
    expect(await book.problem()).toContain("can write the trust store");
    chmodSync(book.path, 0o600);
    expect(await book.state("/p/a", "a")).toBe("trusted");
    for (const text of ["{", "[]", '{"version":2,"files":{}}', '{"version":1,"files":{"a":1}}']) {
      writeFileSync(book.path, text);
      expect(await book.state("/p/a", "a")).toBe("unknown");
      expect(await book.problem()).toContain("damaged");
      await expect(book.allow([{ path: "/p/a", content: "a" }])).rejects.toThrow("remove it");
      expect(readFileSync(book.path, "utf8")).toBe(text);
    }
  });
});
