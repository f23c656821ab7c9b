// Checks of the project and of what the user brings to it: config, trust, hooks, servers, skills, instructions.

import { accessSync, constants, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Problem } from "sotto";
import { hooksFor } from "sotto/hooks";
import {
  configFor,
  instructionsFor,
  languageServersFor,
  projectTrust,
  remindersFor,
  skillsFor,
  trustedByUser,
  userTrustStore,
} from "sotto/inspect";
import { sessionNotesPath, userDirectories } from "sotto/internal";
import { projectServers } from "sotto/mcp";
import { configuredModels } from "sotto-agent/session-data";
import { count, createShortPaths } from "sotto-agent/terminal";
import type { Check, Finding } from "./finding.ts";

const TRUST = "review it with sotto trust";

export const checkConfig: Check = async ({ cwd, home }) => {
  const { files, problems, config } = await configFor({ cwd, trust: { user: true } });
  const models = await configuredModels({ cwd });
  const short = createShortPaths({ cwd, home });
  const words = files.length === 0 ? "no files, all defaults" : files.map(short.path).join(", ");
  const wrong = [...problems, ...models.problems].map((found): Finding => {
    const { where, line, column, problem, needsTrust } = found;
    const place = [short.path(where), line, column].filter((part) => part !== undefined).join(":");
    return {
      about: "config",
      status: needsTrust ? "warning" : "problem",
      words: `${place}: ${short.words(problem)}`,
      fix: wayOut(found),
    };
  });
  const off: Finding[] =
    config.enabled === false
      ? [
          {
            about: "config",
            status: "warning",
            words: "everything is switched off: enabled = false, by a config file or SOTTO_DISABLE",
            fix: "remove it to get reminders",
          },
        ]
      : [];
  return [{ about: "config", status: "ok", words }, ...wrong, ...off];
};

/** `where`: a file, or an environment variable. */
function wayOut({ where, line, needsTrust }: Pick<Problem, "where" | "line" | "needsTrust">): string {
  if (needsTrust) return TRUST;
  if (line !== undefined) return "fix the line";
  if (!isAbsolute(where)) return `correct ${where}, or unset it`;
  try {
    if (!statSync(where).isFile()) return "replace it with a text file, or remove it";
    accessSync(where, constants.R_OK);
    return "correct the file, or remove it";
  } catch {
    return "let this user read it, or remove it";
  }
}

export const checkTrust: Check = async ({ cwd, home }) => {
  const { items } = await projectTrust({ cwd });
  const short = createShortPaths({ cwd, home });
  const open = items.filter(({ state }) => state !== "trusted");
  const words = `${count(items.length - open.length, "project file")} trusted, ${open.length} not trusted`;
  const asking = open.map(
    ({ path, state, asks }): Finding => ({
      about: "trust",
      status: "warning",
      words: `${short.path(path)} ${state === "changed" ? "has changed since it was trusted" : "is not trusted"}; once trusted it ${asks.join("; ")}`,
      fix: TRUST,
    }),
  );
  const problem = await userTrustStore().problem();
  const broken: Finding[] =
    problem === undefined
      ? []
      : [{ about: "trust", status: "problem", words: `${userTrustStore().path}: ${problem}` }];
  return [{ about: "trust", status: "ok", words }, ...asking, ...broken];
};

export const checkHooks: Check = async ({ cwd, home }) => {
  const { hooks, leftOut, problems } = await hooksFor({ cwd, trust: { user: true } });
  const short = createShortPaths({ cwd, home });
  return [
    { about: "hooks", status: "ok", words: count(hooks.length, "hook") },
    ...leftOut.map(({ path, reason, ...found }): Finding => {
      const words = `${short.path(path)}: ${short.words(reason)}`;
      return { about: "hooks", status: "warning", words, fix: wayOut({ where: path, ...found }) };
    }),
    ...problems.map(
      (problem): Finding => ({ about: "hooks", status: "warning", words: short.words(problem) }),
    ),
  ];
};

export const checkServers: Check = async ({ cwd, home }) => {
  const { servers, path, problems } = await projectServers({ cwd, isTrusted: trustedByUser({ cwd }) });
  const short = createShortPaths({ cwd, home });
  const names = Object.keys(servers);
  const words =
    path === undefined ? "no .mcp.json" : `${short.path(path)}: ${names.join(", ") || "none enabled"}`;
  return [
    { about: "mcp servers", status: "ok", words },
    ...problems.map(({ path: file, reason, ...found }): Finding => {
      const wrong = `${short.path(file)}: ${short.words(reason)}`;
      return {
        about: "mcp servers",
        status: "warning",
        words: wrong,
        fix: wayOut({ where: file, ...found }),
      };
    }),
  ];
};

export const checkLanguageServers: Check = async ({ cwd, home }) => {
  const { config: said } = await configFor({ cwd, trust: { user: true } });
  const short = createShortPaths({ cwd, home });
  const config = { language_servers: said.language_servers ?? true };
  const found = await languageServersFor({ cwd, config });
  if (found.length === 0)
    return [{ about: "language servers", status: "ok", words: "off: language_servers = false" }];
  return found.map(({ name, state, detail }): Finding => {
    const words = `${name}: ${state}, ${short.words(detail)}`;
    if (state === "untrusted") return { about: "language servers", status: "warning", words, fix: TRUST };
    return { about: "language servers", status: "ok", words };
  });
};

export const checkSkills: Check = async ({ cwd, home }) => {
  const { skills, problems } = await skillsFor({ cwd, trust: { user: true } });
  const short = createShortPaths({ cwd, home });
  const words = skills.length === 0 ? "none" : skills.map(({ name }) => name).join(", ");
  return [
    { about: "skills", status: "ok", words },
    ...problems.map(
      (problem): Finding => ({ about: "skills", status: "warning", words: short.words(problem) }),
    ),
  ];
};

export const checkInstructions: Check = async ({ cwd, home }) => {
  const { loaded, problems } = await instructionsFor({ cwd, trust: { user: true } });
  const short = createShortPaths({ cwd, home });
  const words = loaded.length === 0 ? "none" : `${count(loaded.length, "file")} at session start`;
  // Config files are checked above.
  const wrong = problems
    .filter(({ path }) => !path.endsWith(".toml"))
    .map(
      ({ path, problem }): Finding => ({
        about: "instructions",
        status: "warning",
        words: `${short.path(path)}: ${short.words(problem)}`,
        fix: "fix the file; sotto memory shows the effect",
      }),
    );
  return [{ about: "instructions", status: "ok", words }, ...wrong];
};

export const checkReminders: Check = async ({ cwd, home }) => {
  // Trust is checked above; this is about errors in the files.
  const { reminders, templates, problems } = await remindersFor({
    cwd,
    trust: { user: true, project: () => true },
  });
  const short = createShortPaths({ cwd, home });
  const words = `${count(reminders.length, "reminder")}, ${count(templates.length, "template")}`;
  const wrong = problems.map(
    ({ path, line, column, problem }): Finding => ({
      about: "reminders",
      status: "warning",
      words: `${[short.path(path), line, column].filter((part) => part !== undefined).join(":")}: ${short.words(problem)}`,
      fix: "fix the file; see docs/guide/reminders.md",
    }),
  );
  return [{ about: "reminders", status: "ok", words }, ...wrong];
};

/** Which of the user's own files are sent to a model, by `sotto run` and hooks and by an embedded session. */
export const checkPrivate: Check = async ({ cwd }) => {
  const [mine, bare] = await Promise.all([readFor(cwd, true), readFor(cwd, false)]);
  const own = mine.flatMap(({ amount, one, many }, index) => {
    const more = amount - (bare[index]?.amount ?? 0);
    return more > 0 ? [count(more, one, many)] : [];
  });
  const notes = await notesOf(cwd);
  if (notes > 0) own.push(`${count(notes, "note")} of earlier sessions`);
  const sent = own.length === 0 ? "nothing from outside this project" : own.join(", ");
  const words = `sotto run, hooks and pi send ${sent}; sessions in your own code do so only with trust: { user: true, pastSessions: true }`;
  return [{ about: "private", status: "ok", words }];
};

interface Amount {
  amount: number;
  one: string;
  many: string;
}

/** With or without the user's own files. */
async function readFor(cwd: string, user: boolean): Promise<Amount[]> {
  const options = { cwd, trust: { user } };
  const [{ loaded }, { reminders, templates }, { skills }, { hooks }, { config }] = await Promise.all([
    instructionsFor(options),
    remindersFor({ cwd, trust: { user, project: () => true } }),
    skillsFor(options),
    hooksFor(options),
    configFor(options),
  ]);
  const words = config.critical_instruction === undefined ? 0 : 1;
  return [
    { amount: loaded.length, one: "instruction file", many: "instruction files" },
    { amount: reminders.length, one: "reminder", many: "reminders" },
    { amount: templates.length, one: "template", many: "templates" },
    { amount: skills.length, one: "skill", many: "skills" },
    { amount: hooks.length, one: "hook's answers", many: "hooks' answers" },
    { amount: words, one: "critical instruction", many: "critical instructions" },
  ];
}

async function notesOf(cwd: string): Promise<number> {
  const names = await readdir(sessionNotesPath(userDirectories().stateDirectory, cwd)).catch(() => []);
  return names.filter((name) => name.endsWith(".md")).length;
}
