import { accessSync, constants, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { slowFiles } from "./test/support/slow-files.ts";
import { createWitnessReporter } from "./test/support/witness-reporter.ts";

export default defineConfig({
  // Added, so that whatever reporter is chosen stays.
  plugins: [
    {
      name: "witnesses",
      configureVitest: ({ vitest }) => void vitest.config.reporters.push(createWitnessReporter()),
    },
  ],
  resolve: { conditions: ["sotto-source", "node", "import", "default"] },
  // Node gets these as they are, for require() as well: without "import", which is not for CommonJS.
  ssr: { resolve: { conditions: ["sotto-source", "node"] } },
  test: {
    include: ["{bench,packages/*/src,test}/**/*.test.ts"],
    exclude: ["**/node_modules/**", ...slowFiles],
    // A limit for what hangs: a machine with other things to do may take ten times as long as usual.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    // Node loads the sources as they are, as it does for hosts; so there is no `vi.mock`.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: "forks",
    // Files share a process, and what it has loaded: a test leaves no variable, timer or mock behind.
    isolate: false,
    // Two more than a small machine has cores: many tests wait, for programs and for deadlines.
    maxWorkers: 4,
    // Histories are built and dropped all the time: with more room for what is new, less of it is copied.
    execArgv: ["--max-semi-space-size=32"],
    sequence: { sequencer: LongestFirst },
    globalSetup: [join(import.meta.dirname, "test/support/postgres-setup.ts")],
    // Nobody's own config decides what a test sees; an empty variable says nothing.
    env: {
      // Hundreds of processes start from sources: what Node made of these is kept for the next one.
      NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/sotto/compiled"),
      ...temporaryFiles(),
      XDG_CONFIG_HOME: "/nonexistent/config",
      XDG_STATE_HOME: "/nonexistent/state",
      SOTTO_STORE: "",
      SOTTO_DISABLE: "",
      // Nor does the machine: a turn may take as long as it needs. A test of the deadline sets its own.
      SOTTO_TIMEOUT_MS: "60000",
      SOTTO_ENABLE_TOKEN_USAGE: "",
      CODEX_DISABLE_SYSTEM_REMINDERS: "",
      CODEX_SYSTEM_REMINDER_TIMEOUT_MS: "",
      CODEX_ENABLE_TOKEN_USAGE: "",
      CLAUDE_CODE_DISABLE_ATTACHMENTS: "",
      CLAUDE_CODE_ENABLE_TOKEN_USAGE_ATTACHMENT: "",
    },
  },
});

/**
 * Tests make and remove some ten thousand files, and databases that wait for the disk: where the machine has much room
 * in memory for files, they are there. `TMPDIR=/tmp npm test` has them on the disk, as has every campaign that is no test.
 */
function temporaryFiles(): { TMPDIR?: string } {
  if (process.env.TMPDIR !== undefined) return {};
  try {
    accessSync("/dev/shm", constants.W_OK);
    const { bavail, bsize } = statfsSync("/dev/shm");
    return Math.min(bavail * bsize, freemem()) > 4e9 ? { TMPDIR: "/dev/shm" } : {};
  } catch {
    return {};
  }
}
