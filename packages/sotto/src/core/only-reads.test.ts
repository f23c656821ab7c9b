import { expect, it } from "vitest";
import { mayChangeFiles } from "./only-reads.ts";

it.each([
  "ls -la src",
  "cat a.ts | head -20",
  "rg -n foo 2>/dev/null",
  "git status --short && git diff HEAD~1",
  "cd packages && ls",
  "sed -n '1,40p' src/a.ts",
  "sed -n 5p a.ts",
  "sleep 5; echo done",
  "find . -name '*.ts'",
])("%s leaves every file as it is", (command) => {
  expect(mayChangeFiles(command)).toBe(false);
});

it.each([
  "sed -i s/a/b/ a.ts",
  "sed -n 'w out' a.ts",
  "echo x >> a.ts",
  "echo x > /dev/nullx",
  "cat a 2>/dev/null > b",
  "ls; rm a.ts",
  "npm run format",
  "git checkout .",
  "find . -delete",
  "cat <<EOF > a.ts\nx\nEOF",
  "$(echo rm) a.ts",
  "rg --pre ./x foo",
  "",
  "x".repeat(200_000),
])("%.40s may change one", (command) => {
  expect(mayChangeFiles(command)).toBe(true);
});
