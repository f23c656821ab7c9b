// docs/guide/embedding.md has every event that a host may record, and no other.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventTypes } from "sotto/internal";
import { expect, it } from "vitest";

const page = readFileSync(join(import.meta.dirname, "../docs/guide/embedding.md"), "utf8");

const OF_SOURCES_AND_ENGINE = [
  ...["file_changed", "file_attached", "agent_mentioned", "resource_attached", "past_sessions_found"],
  ...["reminders_changed", "files_restored", "memory_resolved", "plan_file_found", "write_announced"],
  ...["files_inherited", "throttles_reset", "tags_named", "answer_kept", "request_recorded", "calls_over"],
  ...["writing_changed", "subagent_runs", "calls_known"],
];

it("lists the events that a host may record", () => {
  const section = /^## Events\n(.*?)^## /msu.exec(page)?.[1] ?? "";
  const cells = [...section.matchAll(/^\| (`[^|]+) \|/gmu)].map(([, cell = ""]) => cell);
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([a-z_]+)`/gu)].map(([, name = ""]) => name));
  expect(listed.toSorted()).toEqual(
    eventTypes.filter((type) => !OF_SOURCES_AND_ENGINE.includes(type)).toSorted(),
  );
});
