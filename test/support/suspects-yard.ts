// A directory of its own with tracked files in it, and someone who watches them.

import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createSuspects,
  type Suspects,
  type SuspectsOptions,
} from "../../packages/sotto/src/sources/files/suspects.ts";
import { muchLater, statOf } from "./watching.ts";

export type Yard = ReturnType<typeof openYard>;

export function openYard() {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sotto-suspects-")));
  const at = (name: string) => join(root, name);
  const write = (name: string, content: string) => fs.writeFileSync(at(name), content);
  let suspects: Suspects | undefined;

  const yard = {
    root,
    at,
    write,
    get suspects(): Suspects {
      if (suspects === undefined) throw new Error("not started");
      return suspects;
    },
    /** By default no change hides behind a tick of the clock, and no mount is a network one. */
    start(options: SuspectsOptions = {}) {
      suspects = createSuspects({ now: muchLater, mountTable: () => "", ...options });
    },
    /** Under its name, as it is now. */
    track(name: string) {
      const path = at(name);
      yard.suspects.track(name, { path, realPath: fs.realpathSync(path), seen: statOf(path) });
    },
    verify(name: string) {
      yard.suspects.verified(name, fs.existsSync(at(name)) ? statOf(at(name)) : undefined);
    },
    /** Tracked files `0.txt` and so on. Past 300 not all are looked at in each turn. */
    fill(directory: string, count: number) {
      fs.mkdirSync(at(directory), { recursive: true });
      for (let index = 0; index < count; index++) {
        write(`${directory}/${index}.txt`, "filler");
        yard.track(`${directory}/${index}.txt`);
      }
    },
    /** Some turns in which everything is dealt with. */
    async settle(turns: number) {
      for (let turn = 0; turn < turns; turn++) for (const key of await yard.suspects.take()) yard.verify(key);
    },
    /** As editors save. */
    replace(name: string, content: string) {
      write("new", content);
      fs.renameSync(at("new"), at(name));
    },
    close() {
      suspects?.close();
      fs.rmSync(root, { recursive: true });
    },
  };
  return yard;
}
