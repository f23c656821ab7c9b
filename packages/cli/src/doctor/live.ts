// What runs beside an agent: hooks, MCP servers, language servers and skills; nothing of it is started here.

import { allowedByUser, configFor, findLanguageServers, hooksFor, projectServers, skillsFor } from "sotto";
import { createShortPaths } from "../../../agent/src/terminal/short-paths.ts";
import { count } from "../../../agent/src/terminal/text.ts";
import type { Check, Finding } from "./finding.ts";

const TRUST = "sotto trust shows it, and asks";

export const checkHooks: Check = async ({ cwd, home }) => {
  const { hooks, leftOut, problems } = await hooksFor({ cwd, instructions: { user: true } });
  const short = createShortPaths({ cwd, home });
  return [
    { about: "hooks", status: "ok", words: `${count(hooks.length, "hook")} would run` },
    ...leftOut.map(({ path, reason }): Finding => {
      const words = `${short.path(path)}: ${short.words(reason)}`;
      return { about: "hooks", status: "warning", words, fix: TRUST };
    }),
    ...problems.map(
      (problem): Finding => ({ about: "hooks", status: "warning", words: short.words(problem) }),
    ),
  ];
};

export const checkServers: Check = async ({ cwd, home }) => {
  const { servers, path, problems } = await projectServers({ cwd, isTrusted: allowedByUser({ cwd }) });
  const short = createShortPaths({ cwd, home });
  const names = Object.keys(servers);
  const words =
    path === undefined ? "no .mcp.json here" : `${short.path(path)}: ${names.join(", ") || "none would run"}`;
  return [
    { about: "mcp servers", status: "ok", words },
    ...problems.map(({ path: file, reason }): Finding => {
      const wrong = `${short.path(file)}: ${short.words(reason)}`;
      return { about: "mcp servers", status: "warning", words: wrong, fix: TRUST };
    }),
  ];
};

export const checkLanguageServers: Check = async ({ cwd, home }) => {
  const { config: said } = await configFor({ cwd, instructions: { user: true } });
  const short = createShortPaths({ cwd, home });
  const config = { language_servers: said.language_servers ?? true };
  const found = await findLanguageServers({ cwd, config });
  if (found.length === 0)
    return [{ about: "language servers", status: "ok", words: "switched off: language_servers = false" }];
  return found.map(({ name, state, detail }): Finding => {
    const words = `${name}: ${state}, ${short.words(detail)}`;
    if (state === "untrusted") return { about: "language servers", status: "warning", words, fix: TRUST };
    // Who does not work in that language misses nothing.
    return { about: "language servers", status: "ok", words };
  });
};

export const checkSkills: Check = async ({ cwd, home }) => {
  const { skills, problems } = await skillsFor({ cwd, instructions: { user: true } });
  const short = createShortPaths({ cwd, home });
  const words = skills.length === 0 ? "none" : skills.map(({ name }) => name).join(", ");
  return [
    { about: "skills", status: "ok", words },
    ...problems.map(
      (problem): Finding => ({ about: "skills", status: "warning", words: short.words(problem) }),
    ),
  ];
};
