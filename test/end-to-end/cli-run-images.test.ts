// An image named in a prompt that is typed while `sotto run` works: queued with the image itself.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("AC-44 the log has the prompt with its image, and the model is told of both", async () => {
  const cwd = temporaryDirectory();
  const state = temporaryDirectory();
  writeFileSync(join(cwd, "shot.png"), pixel);
  writeFileSync(
    join(cwd, "scenario.yaml"),
    `name: An image
script:
  - user: Look around
  - assistant:
      tools:
        - Glob: { pattern: "*" }
    meanwhile:
      - queue: "It looks like this: @shot.png"
  - assistant:
      expect:
        - reminder: queued_command
        - told: "It looks like this"
      say: Done.
`,
  );
  const env = { HOME: state, XDG_STATE_HOME: state };
  const ran = await sottoHere(["run", "-p", "Look around", "--scenario", "scenario.yaml"], { cwd, env });
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 0, stdout: "Done.\n" });
  const { stdout } = await sottoHere(["log", "--type", "prompt_queued", "--json"], { cwd, env });
  expect(JSON.parse(stdout).event.prompt).toEqual([
    { type: "text", text: "It looks like this: @shot.png" },
    { type: "image", mediaType: "image/png", blob: createHash("sha256").update(pixel).digest("hex") },
  ]);
});
