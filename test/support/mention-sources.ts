// Mentions read by sources that have all the time they need, or none.

import { join } from "node:path";
import { SottoError } from "sotto";
import type { Source } from "sotto/extend";
import { createFileAccess, type FileAccess } from "../../packages/sotto/src/sources/files/file-access.ts";
import { createMentionsSource } from "../../packages/sotto/src/sources/mentions/mentions.ts";
import type { FileWorld } from "./file-world.ts";

const PATIENT_MS = 20_000;
// A test waits for what it asked for, however busy the machine is.
const PATIENT = { closeMs: 600_000, readMs: 600_000 };

function deskIn({ root }: FileWorld): FileAccess {
  const home = join(root, ".home");
  return createFileAccess({
    ...{ cwd: root, home, configDirectory: join(home, ".config/sotto") },
    trust: { user: true },
  });
}

/** Its jobs are not ended where the machine is busy. */
export function patientMentions(world: FileWorld): Source<"mentioned"> {
  const source = createMentionsSource(deskIn(world));
  return {
    ...source,
    observe(turn, signal) {
      const work: typeof turn.work = (job) => {
        const input = { ...(job.input as object), stopMs: PATIENT_MS };
        return turn.work({ ...job, input: input as typeof job.input, limitMs: PATIENT_MS });
      };
      return source.observe(Object.create(turn, { work: { value: work } }), signal);
    },
  };
}

/** Files whose name begins with `slow` are read when they are let go. */
export function slowMentions(world: FileWorld) {
  const fileAccess = deskIn(world);
  const gate = Promise.withResolvers<void>();
  const reader = async () => {
    const real = await fileAccess.reader();
    const read: typeof real.read = async (path, options) => {
      if (path.includes("/slow")) await gate.promise;
      return real.read(path, options);
    };
    return { ...real, read };
  };
  return { source: createMentionsSource({ ...fileAccess, reader }, PATIENT), letGo: gate.resolve };
}

/** Jobs take longer than they may in their first tries; those with more time end when they are let go. */
export function busyMentions(
  world: FileWorld,
  { tries = 1, closeMs = PATIENT.closeMs }: { tries?: number; closeMs?: number } = {},
) {
  const gate = Promise.withResolvers<void>();
  const source = createMentionsSource(deskIn(world), { ...PATIENT, closeMs });
  const limits: number[] = [];
  const busy: Source<"mentioned"> = {
    ...source,
    observe(turn, signal) {
      const work: typeof turn.work = async (job) => {
        limits.push(job.limitMs ?? 0);
        if (limits.length <= tries) throw new SottoError("worker_slow", `${job.about} took too long`);
        await gate.promise;
        return turn.work({ ...job, limitMs: PATIENT_MS });
      };
      return source.observe(Object.create(turn, { work: { value: work } }), signal);
    },
  };
  return { source: busy, limits, letGo: gate.resolve };
}
