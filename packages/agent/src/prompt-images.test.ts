// Images named in prompts, at rest and while the agent works, against a strict server on loopback.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createMemoryStore } from "sotto";
import { expect, onTestFinished, test } from "vitest";
import { startModelServer } from "../../../test/support/servers/model-server.ts";
import type { AgentEvent } from "./agent-events.ts";
import { noTranscript } from "./conversation/transcript.ts";
import { createDenyAsker } from "./face/askers.ts";
import { openHost } from "./open-host.ts";
import { createPromptImages, droppedPaths } from "./prompt-images.ts";
import { createPermissions } from "./tools/permissions.ts";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function place() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-images-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ["project", "home", "desk top"]) mkdirSync(join(root, name));
  const draw = (path: string) => writeFileSync(join(root, path), Buffer.from(pixel, "base64"));
  return { root, cwd: join(root, "project"), home: join(root, "home"), draw };
}

test.each([
  ["look: /a/b.png", ["/a/b.png"]],
  ["'/a b/c.PNG' and \"/d e.jpeg\"", ["/a b/c.PNG", "/d e.jpeg"]],
  ["/a\\ b/c\\(1\\).webp, please", ["/a b/c(1).webp"]],
  ["file:///a%20b/c.gif", ["/a b/c.gif"]],
  ["~/shot.png.", ["/home/me/shot.png"]],
  ["a/b.png ./c.png b.png http://x/y.png /etc/hosts x/y.png @/a/b.png", []],
  ["file://%%%.png '/unclosed.png", []],
])("dropped in %j", (prompt, paths) => {
  expect(droppedPaths(prompt, "/home/me")).toEqual(paths);
});

test("what is denied, gone, too large or no image is not queued; the words always are", async () => {
  const { cwd, home, draw } = place();
  draw("project/denied.png");
  draw("project/fine.png");
  writeFileSync(join(cwd, "text.png"), "no image");
  writeFileSync(join(cwd, "large.png"), Buffer.alloc(4_000_000));
  const heard: AgentEvent[] = [];
  const images = createPromptImages({ cwd, home, denyRead: ["denied.png"], listen: (e) => heard.push(e) });
  for (const prompt of ["@denied.png", `${cwd}/denied.png`, "@gone.png /gone.png", "a@b.png", "hello"])
    expect(await images.queued(prompt)).toBe(prompt);
  expect(heard).toEqual([]);
  for (const name of ["text.png", "large.png"]) expect(await images.queued(`@${name}`)).toBe(`@${name}`);
  expect(heard).toEqual([
    {
      type: "notice",
      text: `an image was not attached: ${cwd}/text.png is not a PNG, JPEG, GIF or WebP image`,
    },
    { type: "notice", text: expect.stringContaining(`${cwd}/large.png is too large`) },
  ]);
  const twice = `@fine.png and ${cwd}/fine.png`;
  expect(await images.queued(twice)).toEqual([
    { type: "text", text: twice },
    { type: "image", mediaType: "image/png", data: pixel },
  ]);
});

test("AC-44 images typed while the agent works are in the next request, and so are those it works off next", async () => {
  const { root, cwd, home, draw } = place();
  draw("project/mention.png");
  draw("desk top/dropped.png");
  const dropped = `${root}/desk\\ top/dropped.png`;
  const look = { toolCalls: [{ name: "Glob", input: { pattern: "*" } }] };
  const server = await startModelServer({
    provider: "anthropic",
    script: (_, index) => {
      if (index === 0) {
        host.agent.queue("as in @mention.png");
        host.agent.queue(`or here: ${dropped}`);
      }
      if (index === 1) host.agent.queue(`at last ${dropped}`);
      return index === 0 || index === 2 ? look : { text: "Fine." };
    },
  });
  onTestFinished(() => server.close());
  const host = openHost({
    cwd,
    home,
    sessionId: "images",
    store: createMemoryStore(),
    readConfig: false,
    config: { timeout_ms: 30_000 },
    model: createAnthropic({ apiKey: "k", baseURL: `${server.url}/v1` })("claude-test"),
    window: 200_000,
    listen: () => undefined,
    asker: createDenyAsker({ say: () => undefined }),
    permissions: createPermissions("all"),
    extraDirectories: [],
    agents: [],
    transcript: noTranscript,
    stateDirectory: join(root, "state"),
  });
  onTestFinished(() => host.close());
  expect((await host.agent.run("go", new AbortController().signal)).text).toBe("Fine.");
  const counts = server.requests.map(({ body }) => JSON.stringify(body).split(pixel).length - 1);
  expect(counts[0]).toBe(0);
  expect(counts[1]).toBe(2);
  // The last one is a prompt of its own, and its image comes as a mentioned one's does.
  expect(counts.at(-1)).toBe(3);
  expect(JSON.stringify(server.requests[1]?.body)).toContain("or here: ");
  expect(server.violations).toEqual([]);
});
