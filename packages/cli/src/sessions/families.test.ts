// Sessions and their sub-agents' sessions.

import { expect, test } from "vitest";
import { sessionTrees } from "./remove-sessions.ts";

const session = (id: string, day: number) => {
  const at = `2026-11-${String(day).padStart(2, "0")}T00:00:00.000Z`;
  return { id, entries: 1, firstAt: at, lastAt: at };
};

test("sub-agents go with the session they are named after, the latest family first", () => {
  const sessions = [
    session("old", 1),
    session("team/alone", 3),
    session("main", 2),
    session("main/Explore-1", 9),
    session("main/Explore-1/deeper", 4),
    session("mainly", 5),
  ];
  const told = sessionTrees(sessions).map(({ members, lastAt }) => [
    lastAt.slice(8, 10),
    ...members.map(({ id }) => id),
  ]);
  expect(told).toEqual([
    ["09", "main", "main/Explore-1", "main/Explore-1/deeper"],
    ["05", "mainly"],
    ["03", "team/alone"],
    ["01", "old"],
  ]);
});
