// The command line of the bench.

import { parseArgs } from "node:util";
import { chosenSuites, type SuiteAbout, suites } from "./suites.ts";

export type Command =
  | { do: "help" }
  | ({ do: "rows"; suites: readonly SuiteAbout[]; write: boolean } & How)
  | ({ do: "growth"; write: boolean } & How)
  | ({ do: "compare"; suites: readonly SuiteAbout[]; ref: string } & How);

interface How {
  json: boolean;
  repetitions: number;
  baselines: boolean;
}

const REPETITIONS = 5;
const LEAST_TO_COMPARE = 3;

export const help = `Usage: npm run bench -- [name …] [options]
       npm run bench -- growth [options]

Measures Sotto, each row beside a baseline in the same run, and prints a table.

  name               run only the suite of that name, or those whose names contain the word
  growth             how times and memory grow with messages, reminders, files, log entries and sessions

  --compare REF      measure another commit in turns with this checkout; exit code 1 if a row got
                     worse by more than 15% beyond the spread
  --write            write the results into bench/README.md (and growth.svg); for a whole run only
  --json             print JSON instead of a table
  --repetitions N    how often each row is measured (default ${REPETITIONS})
  --no-baselines     measure only our own side
  --help             print this

Examples:
  npm run bench                              everything, about 8 minutes
  npm run bench -- turn hook                 the suites turn and hook-call
  npm run bench -- --compare main turn       did this branch make turns slower?
  npm run bench -- --json > before.json
  npm run bench -- growth --write            about 7 minutes; draws bench/growth.svg

Suites:
${suites.map(({ name, about }) => `  ${name.padEnd(16)} ${about}`).join("\n")}
`;

export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      compare: { type: "string" },
      write: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      repetitions: { type: "string", default: String(REPETITIONS) },
      "no-baselines": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { compare: ref, write, json } = values;
  if (values.help) return { do: "help" };
  const how = { json, repetitions: wholeNumber(values.repetitions), baselines: !values["no-baselines"] };
  if (write && (!how.baselines || ref !== undefined))
    throw new Error("--write needs a whole run, with baselines and without --compare");
  if (positionals.includes("growth")) {
    if (positionals.length > 1 || ref !== undefined)
      throw new Error("growth runs alone, and is not compared");
    return { do: "growth", write, ...how };
  }
  const chosen = chosenSuites(positionals);
  if (write && chosen.length < suites.length)
    throw new Error("--write needs a whole run: the page shows rows of one run");
  if (ref !== undefined && how.repetitions < LEAST_TO_COMPARE)
    throw new Error(`--compare needs at least ${LEAST_TO_COMPARE} repetitions: fewer show no spread`);
  if (ref !== undefined) return { do: "compare", suites: chosen, ref, ...how };
  return { do: "rows", suites: chosen, write, ...how };
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,3}$/u.test(text)) throw new Error(`--repetitions is a whole number from 1, not ${text}`);
  return Number(text);
}
