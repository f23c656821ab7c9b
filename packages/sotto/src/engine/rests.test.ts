import { expect, it } from "vitest";
import { createRests } from "./rests.ts";

it("rests for ten turns after three failures in a row", () => {
  const rests = createRests();
  for (const turn of [1, 2]) rests.failed("files", turn);
  expect(rests.restsUntil("files", 3)).toBeUndefined();
  rests.failed("files", 3);
  expect([4, 13].map((turn) => rests.restsUntil("files", turn))).toEqual([14, 14]);
  expect(rests.restsUntil("files", 14)).toBeUndefined();
});

it("counts from the start after a success", () => {
  const rests = createRests();
  for (const turn of [1, 2]) rests.failed("files", turn);
  rests.succeeded("files");
  rests.failed("files", 4);
  expect(rests.restsUntil("files", 5)).toBeUndefined();
});

it("counts each name by itself", () => {
  const rests = createRests();
  for (const turn of [1, 2, 3]) rests.failed("files", turn);
  expect(rests.restsUntil("mail", 4)).toBeUndefined();
});
