// docs/config.md: every key with its type, its default, who may set it and what it is for.

import type { JsonSchema } from "@valibot/to-json-schema";
import { catalogue } from "../packages/sotto/src/attachments/catalogue.ts";
import {
  type ConfigKey,
  configKeys,
  memoryKeys,
  type Reach,
  sharedKeys,
  tasksKeys,
  tunableGenerators,
} from "../packages/sotto/src/config/key-reference.ts";
import { environmentNames } from "../packages/sotto/src/sources/config-files/ambient-config.ts";
import { optionsOf, sharedTable, type Table } from "./config-schema.ts";

type Words = Readonly<Record<string, ConfigKey>>;

const REACH: Record<Reach, string> = {
  free: "yes",
  text: "yes, quoted under the file's name next to the user's",
  inside: "a plain path inside the project",
  trusted: "after `sotto trust`",
  user: "never",
  table: "key by key",
};

export function configPage(schema: Table): string {
  const table = schema.properties.system_reminder as Table;
  const sections = [
    "# Config",
    "Every key of the `[system_reminder]` table. Made by `npm run docs` from the schema that checks it; the layers and what trust means are in [guide/config.md](guide/config.md). For editors: `#:schema` with the path of `config.schema.json` in the package `sotto`.",
    "User and host may set every key. *Project* says what a project's own file may do before it is trusted; it never changes what the user's own file sets. What it may not do yet is in `turn.problems`, `sotto doctor` and `sotto trust --list`. Keys with a ° are text for the model, or name paths or programs: the user's own file sets them in `sotto run` and hooks, and in an embedded session only with `trust: { user: true }`.",
    tableOf(table, configKeys),
    "## `tasks`",
    tableOf(table.properties.tasks as Table, tasksKeys),
    "## `memory`",
    tableOf(table.properties.memory as Table, memoryKeys),
    "## `attachments`",
    "Each name is `true`, `false` or a table of these keys and of its own options. A generator's name applies to all of its types; the name of a single type wins.",
    `Before it is trusted, a project may set these keys for ${tunable()} only: all others may carry a message of the user, a hook or another agent.`,
    tableOf(sharedTable(), sharedKeys),
    namesTable(),
    "## Environment",
    "The first variable of a row that is set and not empty counts. 1, true, yes and on mean on; 0, false, no and off count as not set.",
    environmentTable(),
  ];
  return `${sections.join("\n\n")}\n`;
}

function tunable(): string {
  return tunableGenerators.map((name) => `\`${name}\``).join(" and ");
}

function tableOf({ properties }: Table, words: Words): string {
  const rows = Object.entries(properties).map(([key, schema]) => {
    const { project, says, usual = defaultOf(schema), outside } = words[key] as ConfigKey;
    return [`\`${key}\`${outside ? " °" : ""}`, typeOf(schema), usual, REACH[project], says];
  });
  return markdown(["key", "type", "default", "project", "meaning"], rows);
}

function namesTable(): string {
  const rows = catalogue.map((one) => {
    const { type, generator, aliases = [], defaultEnabled = true, throttle = {} } = one;
    const { minTurnsBetween, minTurnsAfterTrigger, maxPerSession } = throttle;
    const rhythm = {
      min_turns_between: minTurnsBetween,
      min_turns_after_trigger: minTurnsAfterTrigger,
      max_per_session: maxPerSession,
    };
    const limits = Object.entries(rhythm).flatMap(([key, value]) => (value ? [`\`${key} = ${value}\``] : []));
    const names = [...new Set([generator, ...aliases])].filter((name) => name !== type);
    const options = Object.entries(optionsOf([one]).properties).map(
      ([key, schema]) => `\`${key}\` (${typeOf(schema)}, ${defaultOf(schema)}): ${schema.description}`,
    );
    return [
      `\`${type}\``,
      names.map((name) => `\`${name}\``).join(", ") || "–",
      [defaultEnabled ? "on" : "off", ...limits].join(", "),
      options.join("<br>") || "–",
    ];
  });
  return markdown(["type", "other names", "default", "own options"], rows);
}

function environmentTable(): string {
  const rows = Object.entries(environmentNames).map(([what, names]) => [
    what === "disable" ? "`enabled = false`" : `\`${what}\``,
    names.map((name) => `\`${name}\``).join(", "),
  ]);
  return markdown(["sets", "names, the first wins"], rows);
}

function typeOf({ type, enum: choices, items, minimum, maximum }: JsonSchema): string {
  if (choices !== undefined) return choices.map((one) => `\`${JSON.stringify(one)}\``).join(" or ");
  if (type === "array") return `list of ${typeOf(items as JsonSchema)}`;
  if (type === "integer" || type === "number") {
    const name = type === "integer" ? "whole number" : "number";
    if (minimum !== undefined && maximum !== undefined) return `${name}, ${minimum} to ${maximum}`;
    return minimum === undefined ? name : `${name} from ${minimum}`;
  }
  return type === "object" ? "table" : type === "string" ? "text" : String(type ?? "table");
}

function defaultOf({ default: value }: JsonSchema): string {
  if (value === undefined || (typeof value === "object" && Object.keys(value ?? {}).length === 0)) return "–";
  return `\`${JSON.stringify(value)}\``;
}

function markdown(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heading), `|${heading.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}
