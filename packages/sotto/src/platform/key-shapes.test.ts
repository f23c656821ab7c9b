import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startEffort } from "../../../../test/support/effort.ts";
import { problemText } from "./errors.ts";
import { hideKeys, shownName } from "./key-shapes.ts";

const KEYS = [
  "sk-ant-api03-abcdefghijklmnop0123456789",
  "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  "AKIAABCDEFGHIJKLMNOP",
  "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
];

describe("the text of a problem", () => {
  test.each(KEYS)("does not quote the key %s of a wrong field", (key) => {
    const said = problemText({
      where: "config.toml",
      line: 2,
      problem: `system_reminder.max_tokens_per_turn: expected number, got "${key}"`,
    });
    expect(said).toBe('config.toml:2: system_reminder.max_tokens_per_turn: expected number, got "[hidden]"');
  });

  test("does not name a key that stands where a name should", () => {
    const said = problemText({ where: "config.toml", problem: `attachments: "${KEYS[0]}" is not known` });
    expect(said).toBe('config.toml: attachments: "[hidden]" is not known');
  });

  test.each([
    'expected ("append" | "after_context"), got "prepend"',
    'expected number, got "4000"',
    "mcpServers.x.env.API_KEY: expected string, got 5",
    '"plan_mode_reminder_2" is not known; did you mean "plan_mode"?',
    'expected a whole number, 1 or more, got "every second turn, from turn 10 on"',
  ])("leaves %s as it is", (problem) => {
    expect(problemText({ where: "a", problem })).toBe(`a: ${problem}`);
  });
});

describe("a name in an error", () => {
  test.each([...KEYS, "http://user:pass@host", "pass word", "x".repeat(25), "Zm9v+YmFy/Zg=="])(
    "is hidden if it may be a key: %s",
    (name) => expect(shownName(name)).toBe("[hidden]"),
  );

  test.each(["", "prot", "todos_reminder", "my-upstream-2", "critical_instructions"])(
    "is shown if it is short and plain: %s",
    (name) => expect(shownName(name)).toBe(name),
  );
});

// With this behind a text, every expression is tried. Nothing in it is a key, or part of one.
const ALL_SIGNS = `passw passphrase secret token key credential bearer basic
akia asia aiza eyj k- k_ gh pat- pat_ xox npm- npm_ hf- hf_ :// -u -----begin
_pass _pwd pass= pass: _sk= _key= signature= sg. mysql mariadb sshpass login cookie: http xh
pwd authkey auth-key creds authorization mongo twine redis-cli sqlcmd bcp sqlplus sqlldr expdp impdp rman nmcli rclone
hooks.slack discord telegram`;

test("an expression is only passed over where it matches nothing", () => {
  const parts = [
    ...KEYS,
    ..."pass\u017fword PASSWD PaSSphrase \u017fecret to\u212aEN api_\u212aey acce\u017fs-key credential\u017f".split(
      " ",
    ),
    ..."Bearer ba\u017fic github_pat_ glpat- -psk- npm_ hf_ xoxb- -u --user AIza -----BEGIN PRIVATE KEY----- http://me:pw@host".split(
      " ",
    ),
    ..."= : - -- \" ' @ 0a1b2c3d4e5f6g7h8i9 me:pw \u00a0http\u00a0 \u00a0-va [".split(" "),
    " ",
    "\n",
  ];
  const texts = fc.array(fc.constantFrom(...parts), { maxLength: 10 }).map((some) => `${some.join("")} end`);
  fc.assert(
    fc.property(texts, (text) => {
      expect(hideKeys(`${text}\n${ALL_SIGNS}`)).toBe(`${hideKeys(text)}\n${ALL_SIGNS}`);
    }),
    { numRuns: 1000 },
  );
});

const word = "Abc1xyz2Def3uvw4";
test.each([
  `export MY_SECRET_KEY=${word}`,
  `export MY_SECRET_KEY="${word}"`,
  `DB_PASS='${word}' make`,
  `MYSQL_PWD=${word} mysql`,
  `mysql -u root -p${word} shop`,
  `mysql -p${word}`,
  `mysqldump --all -p"${word}" > a.sql`,
  `sshpass -p ${word} ssh host`,
  `docker login -u me -p ${word} host`,
  `aws configure set aws_secret_access_key ${word}`,
  `npm config set //host/:_authToken ${word}`,
  `curl -d "{\\"password\\":\\"${word}\\"}" host`,
  `curl -H 'Cookie: session=${word}' host`,
  `curl "https://host/a?X-Amz-Signature=${word}"`,
  `send SG.${word}.${word}${word}`,
  `["curl","-u","me:${word}","https://host"]`,
  `{"command":["bash","-lc","mysql -u root -p'${word}' shop"]}`,
  `{"arguments":"{\\"argv\\":[\\"curl\\",\\n \\"-u\\", \\"me:${word}\\"]}"}`,
  `spawn("mysql", ["-u", "root", "--password", "${word}", { cwd }])`,
  `subprocess.run(['sshpass', '-p', '${word}', 'ssh', 'host',])`,
  `http -a me:${word} host`,
  `/usr/bin/https --check-status -va me:${word} PUT host a=b`,
  `["http","--auth=me:${word}","host"]`,
  `git clone https://host/hf_${"AbCdEfGh".repeat(4)}/model`,
  `gh auth login --with-token <<< ${word}`,
  `ngrok config add-authtoken ${word}`,
  `SSHPASS=${word} sshpass -e ssh host`,
  `export OPENAI_KEY="${word}" && STRIPE_KEY=${word} make`,
  `echo "DB_PASS: ${word}" > a.yml`,
  `ansible-playbook a.yml -e '{"db_pass":"${word}"}'`,
  `mutt -e 'set smtp_pass=${word}'`,
  `openssl rsa -in key -passin pass:${word} -passout 'pass:${word}'`,
  `keytool -list -storepass ${word} -keypass ${word}`,
  `app --pass ${word} && app --pwd=${word} && app --db-pass "${word}"`,
  `["app","--pass","${word}"]`,
  `tailscale up --authkey ${word} || tailscale up --auth-key=${word}`,
  `skopeo copy --src-creds me:${word} a b`,
  `http host Authorization:"Token ${word}"`,
  `curl -H "Authorization: ApiKey ${word}" -H 'authorization: ${word}' host`,
  `["http","host","Authorization:Token ${word}"]`,
  `xh -a me:${word} host`,
  `sqlplus -S me/${word}@db @a.sql`,
  `mongosh -u me -p ${word}`,
  `twine upload -u __token__ -p ${word} dist/a`,
  `redis-cli -h host -a ${word} get a`,
  `sqlcmd -U sa -P ${word} && sqlcmd -U sa -P${word}`,
  `nmcli dev wifi connect home password ${word}`,
  `rclone config create a s3 secret_access_key ${word}`,
  `curl https://hooks.slack.com/services/T0A1B2C3D/B0A1B2C3D/${word}`,
  `curl https://api.telegram.org/bot12345:${word}/getMe https://discord.com/api/webhooks/123/${word}`,
  `{"command":"mysql","args":["-p${word}"]}`,
  `{ cmd: '/usr/bin/redis-cli', argv: ['-a', '${word}'] }`,
  `spawn("mysql", ["-p${word}"])`,
])("what looks like a secret in a command is hidden: %s", (command) => {
  expect(hideKeys(command)).toContain("[hidden]");
  expect(hideKeys(command)).not.toMatch(/Abc1xyz2|AbCdEfGh/u);
});

test.each([
  "mkdir -p src/a && mysql --version",
  "npm run login-page -- --port 80",
  "git commit -m 'passes all tests' && cat compass.ts bypass.md",
  "ls ~/.ssh; echo pwd=$PWD; cd src/tokens",
  "echo SIGNED && set -euo pipefail",
  "find /var/lib/mysql -path '*.frm' -print",
  "gh auth login -p https; npm run login -project web",
  "the signature: (a, b) => void, and const signature = sign(a);",
  "first_pass = True; set token to the next one; set password for user",
  "about the cookie: it is set by the server",
  `git commit -m "it's a to"ken" of passwords" -m 'mysql; mkdir -p "a b"'`,
  `ls C:\\users\\token\\a "b c"/d\\ e 'f''g' $'h\\x41'`,
  `sh -c "mysql --version; mkdir -p 'a'b"`,
  '["token","list"] ["basic","advanced-topics"] {"a":["-u","--user"],"b:c":["config","set"]}',
  '[["-u","--user <user:password>"],["-p","--port"],["--token","--key"]]',
  `["grep","-e","a token of","src/a:b"] + ['mysql', 'mkdir -p a', 'its'] + ["npm","-u"] + ["a:b"]`,
  `["docker","run","-p","80:80","alpine"] and a[0], b["-u"]["me:x"]`,
  "curl http://host -a b:c; tar -a x:y; open https://a/http -a; use http, -a or a:b",
  "http GET host -A basic; https --all host X-Header:value",
  "ffmpeg -pass 1 -i a.mp4 && app --first-pass 2 --pass-through a; bazel run --pwd=/src",
  "PASS=12 FAIL=0; BYPASS=1 COMPASS=north make; PRIMARY_KEY=user_id_2024 CACHE_KEY=v2-deps-linux SSH_KEY=~/.ssh/id_rsa2",
  "STRIPE_KEY=$OTHER_KEY_1 make; const KEY = openKey(1); { key: 'a1b2c3d4e5' }",
  "render_pass: RenderPass; first_pass=2; the db passes; is_pass = user.pass; low_pass: 20",
  "authorization: required for all 3 routes; headers: { Authorization: header } // Authorization: Basic",
  "sqlplus /nolog @a/b.sql; cat sqlplus/readme; sqlplus -S / as sysdba; rman target /",
  "mongosh --port 27017 -p; redis-cli -h a -p 6379; twine upload -r pypi dist/a; twine -p -u a",
  "curl https://slack.com/services/a https://hooks.slack.com/ https://discord.com/api/v10",
  '{"command":"mysql","args":["--version","-h","db"]} spawn("mkdir", ["-p", "a"]) call(a, ["-p", "b"])',
  "xh GET host -A basic; rclone copy a b; nmcli dev wifi list; skopeo copy --src-creds $CREDS a b",
  "echo 'tokens=3 of them are left' && env 'NAME=two words' app; openssl rsa -passin file:a -passout env:B",
])("ordinary commands stay as they are: %s", (command) => expect(hideKeys(command)).toBe(command));

// Every way in which a shell takes a piece of a word as it is.
const spellings: readonly ((piece: string) => string)[] = [
  (piece) => piece.replace(/[^\w]/gu, "\\$&"),
  (piece) => piece.replace(/./gu, "\\$&"),
  (piece) => `'${piece.replaceAll("'", "'\\''")}'`,
  (piece) => `"${piece.replace(/["$\\`]/gu, "\\$&")}"`,
  (piece) => `$'${piece.replace(/./gu, (one) => `\\x${one.charCodeAt(0).toString(16)}`)}'`,
  (piece) => `$'${piece.replace(/['\\]/gu, "\\$&")}'`,
  (piece) => `''${piece.replace(/[^\w]/gu, "\\$&")}""\\\n`,
];
const letters = fc.constantFrom(..."abcXYZ0189.-_+/=%@:,;|& '\"$`\\");
const values = fc
  .tuple(fc.constantFrom(..."aZ7"), fc.array(letters, { minLength: 5, maxLength: 14 }))
  .map(([first, rest]) => first + rest.join(""));
const split = fc
  .tuple(
    values,
    fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(...spellings)), { minLength: 1 }),
  )
  .map(([value, parts]) => {
    let spelled = "";
    for (let at = 0, part = 0; at < value.length; part++) {
      const [length, spell] = parts[part % parts.length] as (typeof parts)[number];
      spelled += spell(value.slice(at, at + length));
      at += length;
    }
    return { value, spelled };
  });

test("a secret is hidden however a shell's quotes divide it", () => {
  fc.assert(
    fc.property(
      split,
      fc.constantFrom<(secret: string) => string>(
        (secret) => `PGPASSWORD=${secret} psql -h host`,
        (secret) => `env -i PGPASS'WORD'=${secret} psql -h host`,
        (secret) => `export MY_SECRET_KEY=${secret} && make`,
        (secret) => `mysql -u root -p${secret} shop`,
        (secret) => `mysql -e "a; b" -p${secret} shop`,
        (secret) => `sshpass -p ${secret} ssh host`,
        (secret) => `login --password ${secret} host`,
        (secret) => `curl -s -u me:${secret} host`,
        (secret) => `curl -sume:${secret} host`,
        (secret) => `curl -skU me:${secret} host`,
        (secret) => `http -a me:${secret} host`,
        (secret) => `https --auth=me:${secret} host`,
      ),
      ({ value, spelled }, command) => {
        // A line that ends at the end of the word may stay.
        const hidden = hideKeys(command(spelled)).replace(/\\\n/gu, "");
        expect([value, hidden]).toEqual([value, command("[hidden]")]);
      },
    ),
    { numRuns: 2000, seed: 1 },
  );
});

test("a secret is hidden in an argument list, whatever it is made of", () => {
  const lists: readonly ((secret: string) => string[])[] = [
    (secret) => ["curl", "-u", `me:${secret}`, "host"],
    (secret) => ["curl", `--user=me:${secret}`, "host"],
    (secret) => ["sshpass", "-p", secret, "ssh"],
    (secret) => ["mysql", "-e", "a; b", `-p${secret}`, "shop"],
    (secret) => ["login", "--password", secret],
    (secret) => ["http", "-a", `me:${secret}`, "host"],
  ];
  fc.assert(
    fc.property(values, fc.constantFrom(...lists), fc.constantFrom(0, 2), (value, list, indent) => {
      const text = JSON.stringify(list(value), undefined, indent);
      expect(hideKeys(text)).toBe(JSON.stringify(list("[hidden]"), undefined, indent));
    }),
    { numRuns: 2000, seed: 1 },
  );
});

test.each([
  ["env 'API_TOKEN=two words abc' app", "env 'API_TOKEN=[hidden]' app"],
  ['env "API_TOKEN=two words abc" app', 'env "API_TOKEN=[hidden]" app'],
  ['["env","API_TOKEN=two words abc","app"]', '["env","API_TOKEN=[hidden]","app"]'],
  ["sh -c 'API_TOKEN=abc make all'", "sh -c 'API_TOKEN=[hidden] make all'"],
  ['["bash","-lc","API_TOKEN=abc make all"]', '["bash","-lc","API_TOKEN=[hidden] make all"]'],
  ["gh auth login --with-token <<< abc", "gh auth login --with-token <<< [hidden]"],
  ["gh auth login --with-token <<<'abc'", "gh auth login --with-token <<<[hidden]"],
  ['{"command":"mysql","args":["-pa b"]}', '{"command":"mysql","args":["-p[hidden]"]}'],
  ['{"command":"redis-cli","args":["-a","a b"]}', '{"command":"redis-cli","args":["-a","[hidden]"]}'],
  ['http h Authorization:"Token abcd-1234"', 'http h Authorization:"Token [hidden]"'],
  ['mysql "-pabc" shop', 'mysql "-p[hidden]" shop'],
  ["PGPASS'WORD'=abc psql", "PGPASS'WORD'=[hidden] psql"],
  ['header: "Bearer abcd-1234", next', 'header: "Bearer [hidden]", next'],
  ['{ key: "my-token" } }', '{ key: "my-token" } }'],
  // One that is all of a quotation, behind a part of the same word.
  ['curl -u me:"abc d" host', 'curl -u me:"[hidden]" host'],
  ["curl -u 'me:a b' host", "curl -u 'me:[hidden]' host"],
  ['curl -su "me:a \'b c" host "d e"', 'curl -su "me:[hidden]" host "d e"'],
  ["curl -sSu me:abc host", "curl -sSu me:[hidden] host"],
  ["curl -sume:abc host", "curl -sume:[hidden] host"],
  ["curl -u'me:a b' -Up:abc host", "curl -u'me:[hidden]' -Up:[hidden] host"],
  ["-u me:abc --proxy-user 'p:a b'", "-u me:[hidden] --proxy-user 'p:[hidden]'"],
  ['curl -4u "Ada L:a\\"b" host', 'curl -4u "Ada L:[hidden]" host'],
  ["curl -u :abc host", "curl -u :[hidden] host"],
  ["rsync -avu host:/src dst", "rsync -avu host:/src dst"],
  ["Get-Item -Value:abc -url:x; sort -nu a.ts", "Get-Item -Value:abc -url:x; sort -nu a.ts"],
  ['curl --user="me:a b" host', 'curl --user="me:[hidden]" host'],
  ["curl --user 'me':'abc' host", "curl --user 'me':'[hidden]' host"],
  ['["curl","-u","me:a b\\"c"]', '["curl","-u","me:[hidden]"]'],
  ['["curl", "-sku:a b", "host"]', '["curl", "-sku:[hidden]", "host"]'],
  ['["--user=me:a,b","-u",me]', '["--user=me:[hidden]","-u",me]'],
  ['[\n  "mysql",\n  "-e",\n  "a; b",\n  "-pa b"\n]', '[\n  "mysql",\n  "-e",\n  "a; b",\n  "-p[hidden]"\n]'],
  ['["sshpass", "-p", "a b", "x"]', '["sshpass", "-p", "[hidden]", "x"]'],
  ['["login","--password","a b","x"]', '["login","--password","[hidden]","x"]'],
  ['["sh","-c","curl -u \'me:a b\' x"]', '["sh","-c","curl -u \'me:[hidden]\' x"]'],
  ["http -a 'me:a b' host", "http -a 'me:[hidden]' host"],
  ["https -pame:abc host; http --auth me:abc", "https -pame:[hidden] host; http --auth me:[hidden]"],
  ["curl -H 'Authorization: Bearer '\"abcd-1234\"", "curl -H 'Authorization: Bearer '\"[hidden]\""],
  ["curl -H Authorization:\\ Bearer\\ abcd-1234", "curl -H Authorization:\\ Bearer\\ [hidden]"],
  ["curl -H 'Cookie: '\"sid=abc\"", "curl -H 'Cookie: '\"[hidden]\""],
  ['curl https://host/?signature="abc"', 'curl https://host/?signature="[hidden]"'],
  ["grep -e '--token' src/a.ts", "grep -e '--token' src/a.ts"],
])("quotes around a secret stay: %s", (command, shown) => expect(hideKeys(command)).toBe(shown));

test("and in a command that is a word of another", () => {
  const word = "Abc1'xyz2'\"Def3\"uvw4";
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  for (const command of [`PGPASSWORD=${word} psql`, `mysql -p${word} shop`])
    for (const outer of [`sh -c ${quoted(command)}`, `ssh host ${quoted(`sh -c ${quoted(command)}`)}`])
      expect(hideKeys(outer)).not.toMatch(/Abc1|xyz2|Def3|uvw4/u);
});

test("a long text costs what it is long", () => {
  const pieces = [
    ...'a- token- sk- eyJ- \' " \\ $\' "\' $\'\\ a-" sk-"a"'.split(" "),
    ...[
      "mysql a ",
      "mysql 'a' ",
      "sshpass ",
      "docker login 'a' ",
      'password="a"b ',
      "token='a'b",
      '"TOKEN=a b" ',
      "=",
      " -u=",
      " -u 'a:\"",
      "sqlplus a/",
      "redis-cli -a ",
      "authorization: a ",
      "DB_",
      "A_KEY=",
      "token_",
      "db_pass",
      "--pass ",
      "--a-creds a:",
      "pass:",
      "authorization:",
    ],
  ];
  for (const piece of pieces) {
    const effort = startEffort();
    hideKeys(`curl -u ${piece.repeat(Math.floor(150_000 / piece.length))} token key '`);
    // What grows with the square takes a minute.
    expect([piece, effort() < 8000]).toEqual([piece, true]);
  }
});

test("and so does a list of arguments, or what looks like one", () => {
  const pieces = [
    ...'[ [" [\' "[ ["a", "[","[", "a", \\n [\'[" "-u", "mysql", "http","-a", [\\"[\\", "a['.split(" "),
    '["a", ',
    '["-u","me:',
    '[ "',
    ':"a",b:[',
    '("mysql",["-p",',
    "http -a ",
    "-a-va --auth=",
  ];
  for (const piece of pieces)
    for (const begin of ["", "[", "[http "]) {
      const effort = startEffort();
      hideKeys(`${begin}${piece.repeat(Math.floor(130_000 / piece.length))} token key`);
      expect([piece, effort() < 8000]).toEqual([piece, true]);
    }
});
