import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startEffort } from "../../../../../test/support/effort.ts";
import { createPermissions } from "./permissions.ts";

const cwd = "/repo/app";
const home = "/home/someone";
const denying = (...denyRead: string[]) => createPermissions({ cwd, home, denyRead });

/** Which of these paths a list of patterns denies. */
async function denied(patterns: string[], paths: string[]): Promise<string[]> {
  const permissions = await denying(...patterns);
  return paths.filter((path) => !permissions.check(path).allowed);
}

describe("what may not be read", () => {
  it("is nothing without rules", async () => {
    const { check, problems } = await createPermissions({ cwd, home });
    expect([check("/"), check("/repo/app/a"), problems]).toEqual([{ allowed: true }, { allowed: true }, []]);
  });

  it("is named with the rule that says so", async () => {
    const { check } = await denying("*.key", "secret/**");
    expect(check("secret/x")).toEqual({ allowed: false, rule: "secret/**" });
    expect(check("/repo/app/deep/a.key")).toEqual({ allowed: false, rule: "*.key" });
    expect(check("notes.md", "/repo/app/secret/x")).toEqual({ allowed: false, rule: "secret/**" });
    expect(check("secret/x", "/elsewhere/x")).toEqual({ allowed: false, rule: "secret/**" });
  });

  it.each<[string[], string[], string[]]>([
    [["secret"], ["secret", "a/secret/b", "/repo/secret", "secrets"], ["secret", "a/secret/b"]],
    [["secret/"], ["secret", "secret/", "secret/a"], ["secret/", "secret/a"]],
    [["a/b"], ["a/b", "a/b/c", "x/a/b"], ["a/b", "a/b/c"]],
    [["/a"], ["/a", "/a/b", "a", "x/a"], ["/a", "/a/b", "a"]],
    [["~/x/*"], [`${home}/x/y`, `${home}/x`, "~/x/y"], [`${home}/x/y`]],
    [
      ["../lib/*.c", "./b"],
      ["/repo/lib/a.c", "/repo/app/b", "x/b"],
      ["/repo/lib/a.c", "/repo/app/b"],
    ],
    [["/**/*.key"], ["/etc/x.key", "/a.key", "a.key", "/etc/x"], ["/etc/x.key", "/a.key", "a.key"]],
    [["d/*", "!d/open"], ["d/open", "d/other"], ["d/other"]],
    [["d/", "!d/open"], ["d/open"], ["d/open"]],
    [
      ["*.{pem,key}", "{x,y}/z"],
      ["a.pem", "q/a.key", "x/z", "y/z", "z"],
      ["a.pem", "q/a.key", "x/z", "y/z"],
    ],
    [["{/etc/a,b}"], ["/etc/a", "b", "c"], ["/etc/a", "b"]],
    [["a{1,{2,3}}b"], ["a1b", "a2b", "a3b", "ab"], ["a1b", "a2b", "a3b"]],
    [["app/[id].tsx"], ["app/[id].tsx", "app/i.tsx", "app/x.tsx"], ["app/[id].tsx", "app/i.tsx"]],
    [
      ["#notes", "a b", "S[!a]X"],
      ["#notes", "a b", "SbX", "SaX"],
      ["#notes", "a b", "SbX"],
    ],
    [
      ["Secret/**", "**/Key"],
      ["secret/a", "x/KEY"],
      ["secret/a", "x/KEY"],
    ],
    [["s\u00e9cret/**"], ["se\u0301cret/a"], ["se\u0301cret/a"]],
    [["x"], ["a/../x", "x/../y", "./x"], ["a/../x", "./x"]],
  ])("%j", async (patterns, paths, expected) => {
    expect(await denied(patterns, paths)).toEqual(expected);
  });

  it("holds for names with line ends", async () => {
    const paths = ["secret/a\nb", "secret/a\r/b", "x/\u2028.key", "x\ny"];
    expect(await denied(["secret/**", "*.key", "x\ny"], paths)).toEqual(paths);
  });

  it("holds whatever the directory is called", async () => {
    const strange = "/r [1] {a,b}/*!#\\x";
    const { check } = await createPermissions({ cwd: strange, home, denyRead: ["secret/**", "*.key"] });
    expect([check("secret/a"), check("b.key"), check("c")].map(({ allowed }) => allowed)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it.each<[string, string[], string[]]>([
    ["secret[", ["secret/a", "x/secrets", "open"], ["secret/a", "x/secrets"]],
    ["docs/x\\", ["docs/x", "docs/xy/z", "docs/y"], ["docs/x", "docs/xy/z"]],
    ["a/[[:word:]]", ["a/b", "b/a"], ["a/b"]],
    ["a/**/b/**/c/**/d/**/e", ["a/b/c/d/e", "a/x", "b"], ["a/b/c/d/e", "a/x"]],
    ["{a,b}".repeat(25), ["anything", "/elsewhere"], ["anything"]],
    [`k/${"x".repeat(5000)}`, [`k/${"x".repeat(300)}`, "k/y"], [`k/${"x".repeat(300)}`]],
  ])("fails closed, loudly, where %j cannot be understood", async (pattern, paths, expected) => {
    const effort = startEffort();
    const permissions = await denying(pattern, `!${pattern}`);
    expect(permissions.problems).toHaveLength(2);
    expect(paths.filter((path) => !permissions.check(path).allowed)).toEqual(expected);
    expect(effort()).toBeLessThan(500);
  });

  it("an empty pattern denies nothing and is reported", async () => {
    const { check, problems } = await denying("", " ", "!");
    expect(check("a")).toEqual({ allowed: true });
    expect(problems).toHaveLength(3);
  });

  it("M12 R08 no pattern spins on a path made for it", async () => {
    const patterns = [
      "*(*(*(a|b)))",
      `${"**/".repeat(12)}x`,
      `${"*a".repeat(30)}b`,
      "[!]".repeat(60),
      "**/a/**/b/**/c",
      `a${"?*".repeat(30)}z`,
    ];
    const { check } = await denying(...patterns);
    const paths = [
      "a".repeat(255),
      "a/".repeat(95),
      "a/b/".repeat(47),
      "a/".repeat(10_000),
      `${"a".repeat(250)}/`.repeat(16),
    ];
    for (const path of paths) {
      const effort = startEffort();
      check(`${path}c`);
      expect(effort()).toBeLessThan(300);
    }
    expect(check("a/".repeat(10_000))).toEqual({ allowed: false, rule: "deeper than 100" });
  });
});

describe("rules about links", () => {
  let directory: string;
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), "sotto-permissions-")));
    mkdirSync(join(directory, "real/vault"), { recursive: true });
    writeFileSync(join(directory, "real/vault/a"), "");
    symlinkSync(join(directory, "real"), join(directory, "link"));
    symlinkSync(join(directory, "real/vault"), join(directory, "real/door"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("hold for what they lead to", async () => {
    const under = async (cwd: string, rule: string) =>
      (await createPermissions({ cwd, home, denyRead: [rule] })).check(join(directory, "real/vault/a"));
    expect(await under(join(directory, "link"), "vault/**")).toEqual({ allowed: false, rule: "vault/**" });
    expect(await under(join(directory, "real"), "door/**")).toEqual({ allowed: false, rule: "door/**" });
    expect(await under("/", join(directory, "link/door"))).toMatchObject({ allowed: false });
    expect(await under("/", join(directory, "link/none/*"))).toEqual({ allowed: true });
  });
});

describe("what looks secret", () => {
  it("AC-48 is known by its name, in any case, copies included", async () => {
    const { isSecret } = await createPermissions({ cwd, home });
    const secret =
      ".env .env.production .envrc prod.env .ENV .env~ .env.bak server.pem tls.key id_rsa id_ed25519_work id_rsa.old " +
      "store.p12 a.pfx a.jks .netrc _netrc .npmrc .pypirc .git-credentials .pgpass credentials credentials.json " +
      "aws-credentials.ini .aws/credentials .ssh/work .kube/config .docker/config.json .gnupg/private/x secrets.yaml " +
      "secret.txt service-account-prod.json x/.config/gh/hosts.yml";
    const open =
      ".env.example .env.sample .env.local.template environment.ts id_rsa.pub .ssh/config .ssh/known_hosts .ssh/a.pub " +
      "credentials.ts secrets.py credential-store.md keys.ts monkey envoy.yaml config.json .gitignore hosts.yml keyboard.keys";
    expect(secret.split(" ").filter((path) => !isSecret(path))).toEqual([]);
    expect(open.split(" ").filter((path) => isSecret(path))).toEqual([]);
  });

  it("can be allowed, path by path, in the very spelling", async () => {
    const { isSecret, problems } = await createPermissions({
      cwd,
      home,
      allowSecrets: [".env.test", "/certs/*.pem", "fixtures/**", "x["],
    });
    const paths = [
      ".env.test",
      "a/.env.test",
      ".ENV.test",
      "/certs/a.pem",
      "certs/a.pem",
      "fixtures/b.key",
      "x[.key",
    ];
    expect(paths.map(isSecret)).toEqual([false, false, true, false, true, false, true]);
    expect(problems).toEqual(['"x[" is ignored: it cannot be understood']);
  });
});
