// An export that was interrupted anywhere goes on to the same bytes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "sotto";
import type { NewEntry } from "sotto/extend";
import { afterAll, expect, test } from "vitest";
import { exportedIn } from "./exported-part.ts";
import { exportLines } from "./store-export.ts";

const directory = mkdtempSync(join(tmpdir(), "sotto-export-test-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("cut off at any byte, it is resumed to the same whole", async () => {
  const store = createMemoryStore();
  for (const name of ["a", "b ü", "c"]) {
    const blobs = await Promise.all([name, "shared"].map((text) => store.putBlob(Buffer.from(text))));
    const entries = blobs.map(
      (blob): NewEntry => ({
        kind: "event",
        v: 1,
        at: "2026-11-15T00:00:00.000Z",
        event: { type: "file_read", path: "/✓", version: { realPath: "/✓", hash: blob, kind: "text", blob } },
      }),
    );
    await store.append(name, { entries });
  }
  const sessions = await store.sessions();
  const all = async (done?: Awaited<ReturnType<typeof exportedIn>>) => {
    let text = "";
    for await (const line of exportLines(store, { sessions, blobs: true, done, onPage: () => undefined }))
      text += line;
    return text;
  };
  const whole = Buffer.from(await all());
  const part = join(directory, "export.part");
  let kept = 0;
  for (let cut = 0; cut <= whole.length; cut += 7) {
    writeFileSync(part, whole.subarray(0, cut));
    const done = await exportedIn(part);
    const rest = await all(done);
    expect(Buffer.concat([whole.subarray(0, done?.bytes ?? 0), Buffer.from(rest)]).equals(whole)).toBe(true);
    kept = Math.max(kept, done?.ids.size ?? 0);
  }
  expect(kept).toBe(2);
  await store.append("d", { entries: [] });
  const more = exportLines(store, {
    sessions: [...sessions, ...sessions],
    blobs: false,
    done: await exportedIn(part),
    onPage: () => undefined,
  });
  await expect(more.next()).rejects.toThrow("sessions were added or removed");
  expect(await exportedIn(join(directory, "none"))).toBeUndefined();
});
