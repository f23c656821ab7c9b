// A run: the model or its rehearsal, the conversation it goes on from, and the host, opened together.

import { randomBytes } from "node:crypto";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModel } from "ai";
import type { Session } from "sotto";
import { type HookFiles, hooksFor } from "sotto/hooks";
import { problemText, type Skill, skillsFor } from "sotto/inspect";
import type { Listener } from "./agent-events.ts";
import { findConversation, forkSession, transcriptFor } from "./conversation/resume.ts";
import type { Conversation } from "./conversation/transcript.ts";
import { transcriptFile } from "./conversation/transcript.ts";
import type { HostOptions } from "./host-options.ts";
import { liveSources, serverProblems } from "./live-sources.ts";
import type { Price } from "./model/model-facts.ts";
import { configuredModels } from "./model/model-facts.ts";
import { REHEARSAL, resolveModel, SET_A_MODEL } from "./model/resolve-model.ts";
import { type Host, openHost } from "./open-host.ts";
import { createStyles, startStyle } from "./output-styles.ts";
import { loadScenario } from "./rehearsal/load-scenario.ts";
import {
  createScriptedAsker,
  noteReminderTypes,
  type PlayedRun,
  worldFor,
} from "./rehearsal/pretend-user.ts";
import { makeProject, type Scenario } from "./rehearsal/scenario.ts";
import { type Rehearsal, startRehearsal } from "./rehearsal/start-rehearsal.ts";
import type { Run, RunOptions } from "./run-options.ts";
import { createSessionRecorder } from "./session-summary.ts";
import { loadAgents } from "./subagents/definitions.ts";
import { joinTeam } from "./team/join-team.ts";
import { enterDelegateMode, mateSession } from "./team/team.ts";
import { failed, usageError } from "./terminal/failure.ts";
import { allTools } from "./tools/all-tools.ts";
import { createPermissions } from "./tools/permissions.ts";
import { skillTool } from "./tools/skill.ts";
import { remoteSessionTool } from "./tools/task.ts";
import type { Tool } from "./tools/tool.ts";

interface ActiveModel {
  name: string;
  model: LanguageModel;
  window: number;
  price?: Price | undefined;
  rehearsal?: Rehearsal;
}

// The first call has the tools of servers that come up by then; later ones have the others, too.
const SERVERS_MS = 5000;
const EDITOR_MS = 3000;
const REHEARSAL_WINDOW = 200_000;

export async function openRun(options: RunOptions): Promise<Run> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one().catch(() => undefined);
  };
  try {
    return await open(options, closing, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  given: RunOptions,
  closing: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<Run> {
  // An agent that edits code hears what its language server says; a library starts no programs by itself.
  const options: RunOptions = { ...given, defaults: { language_servers: true } };
  const { models, problems: modelProblems } =
    options.readConfig === false ? { models: [], problems: [] } : await configuredModels(options);
  const chosen =
    options.scenario === undefined ? await resolveModel({ ...options, models }, process.env) : undefined;
  if (chosen === undefined) refuseToResume(options);
  const scenario =
    chosen === undefined ? await loadScenario(options.scenario ?? options.usualScenario) : undefined;
  const cwd = await placeFor(scenario, options.cwd, closing);
  // Known to the rehearsal before it is there: what happens meanwhile needs it.
  const opened: PlayedRun = { types: new Map() };
  const rehearsal =
    scenario === undefined
      ? undefined
      : await startRehearsal(scenario, {
          cwd,
          world: worldFor(opened, options),
          onRequest: options.onRequest,
        });
  if (rehearsal !== undefined) closing.push(() => rehearsal.close());
  const voice: ActiveModel =
    chosen === undefined
      ? rehearsed(rehearsal as Rehearsal, options.window ?? scenario?.window)
      : { name: chosen.id, model: chosen.model, window: chosen.window, price: chosen.price };
  const ownId = sessionOf(options);
  const before = await conversationBefore(options, { cwd, ownId });
  const sessionId = options.fork === undefined && before !== undefined ? before.id : (ownId ?? newId());
  // What is the same for everyone has nothing of whoever runs it.
  const home = options.readConfig === false ? join(options.stateDirectory ?? cwd, "home") : homedir();
  const styles = createStyles({ cwd, home, denyRead: options.denyRead });
  const style = await startStyle(styles, { ...options, given: options.style, before: before?.id });
  const live = await liveSources({ ...options, cwd, home });
  const sources = [live.mcp, live.ide].filter((source) => source !== undefined);
  // A person runs this agent for themselves.
  const trust = { user: true };
  const { skills, problems: skillProblems } = await skillsFor({
    cwd,
    home,
    permissions: { denyRead: options.denyRead },
    trust,
  });
  const { mailbox: address } = options;
  const { agents, problems } = await loadAgents({ cwd, home, denyRead: options.denyRead });
  const isRehearsal = rehearsal !== undefined;
  const joined = joinTeam(toolsWith(skills, options.remote), {
    ...options,
    home,
    sessionId,
    agents,
    isRehearsal,
  });
  const { tools } = joined;
  const session = await forkSession({ ...options, cwd, home, agents, sources, tools }, sessionId);
  // A sample was made for this run: its hooks do no more than its script, which may run anything in there.
  const project = cwd === options.cwd ? options.isTrusted : async () => true;
  const hookFiles = await hooksFor({ cwd, home, trust: { ...trust, project } });
  const listen: Listener = (event) => {
    if (event.type === "compacted" || event.type === "results_cleared") rehearsal?.rewritten(event.type);
    noteReminderTypes(event, opened.types);
    notebook?.hear(event);
    options.listen(event);
  };
  // What a script plays is nothing to remember, and what is kept nowhere is not kept here either.
  const { stateDirectory } = options;
  const notebook =
    options.notes === false || rehearsal !== undefined || stateDirectory === undefined
      ? undefined
      : createSessionRecorder({ ...options, stateDirectory, cwd, sessionId, before: before?.messages });
  const hosting: HostOptions = {
    ...options,
    cwd,
    permissions: cwd === options.cwd || options.asksInSample ? options.permissions : createPermissions("all"),
    home,
    sessionId,
    styles,
    ...joined,
    listen,
    asker: rehearsal === undefined ? options.asker : createScriptedAsker(rehearsal, options.asker),
    model: voice.model,
    window: voice.window,
    price: voice.price,
    agents,
    sources,
    mcp: live.mcp,
    hooks: hookFiles.hooks,
    source: before === undefined ? "startup" : options.fork === undefined ? "resume" : "fork",
    transcriptPath: transcriptFile(options, sessionId),
    transcript: await transcriptFor(options, { id: sessionId, cwd, model: voice.name }, before),
    messages: before?.messages ?? [],
    turns: before?.turns ?? new Map(),
    stateDirectory: options.stateDirectory ?? (await temporary(closing)),
    ...(session === undefined ? {} : { session }),
  };
  const inner = openHost(hosting);
  const changeModel = async (name: string): Promise<string> => {
    if (chosen === undefined)
      throw failed("a rehearsal plays its script; for a model, start `sotto run --model`", "invalid_request");
    const isKept = options.stateDirectory !== undefined;
    const during = { sessionId: isKept ? sessionId : undefined, provider: chosen.provider };
    const other = await resolveModel({ ...options, models, model: name, during }, process.env);
    if (other === undefined)
      throw failed(
        "a session cannot become a rehearsal; start `sotto run --model rehearsal`",
        "invalid_request",
      );
    voice.name = other.id;
    Object.assign(hosting, { model: other.model, window: other.window, price: other.price });
    return other.id;
  };
  const host: Host = notebook === undefined ? inner : { ...inner, agent: notebook.follow(inner.agent) };
  opened.host = host;
  closing.push(() => host.close());
  await host.session.open();
  await style.record(host.session);
  await Promise.all([live.mcp?.settled(SERVERS_MS), live.ide?.settled(EDITOR_MS)]);
  if (before !== undefined) await endLostTasks(host.session);
  const team = options.leads === undefined ? undefined : options.mailbox?.team;
  if (team !== undefined && options.leads?.delegates) await enterDelegateMode(host.session, team);
  const misread = (await host.session.problems()).map(problemText);
  return {
    ...host,
    close,
    sessionId,
    cwd,
    get modelName() {
      return voice.name;
    },
    changeModel,
    problems: [
      ...problems,
      ...misread,
      ...modelProblems.map(problemText),
      ...live.problems,
      ...serverProblems(live.mcp),
      ...skillProblems,
      ...hookProblems(hookFiles),
      ...style.problems,
    ],
    typeOf: (text) => opened.types.get(text),
    styles,
    mail: address && { address, home, cwd, store: options.store, sessionId, session: host.session },
    end: async () => notebook?.close(host.session),
    ...(rehearsal === undefined ? {} : { rehearsal }),
    ...(scenario === undefined ? {} : { scenario }),
    ...(before === undefined ? {} : { resumed: before }),
    ...(team === undefined ? {} : { team }),
  };
}

/** Those that depend on what there is stand behind the others, whose order stays. */
function toolsWith(skills: readonly Skill[], remote: string | undefined): readonly Tool[] {
  return [
    ...allTools,
    ...(skills.length === 0 ? [] : [skillTool(skills)]),
    ...(remote === undefined ? [] : [remoteSessionTool(remote)]),
  ];
}

/** Of a new session, where it is given. */
function sessionOf({ sessionId, mateOf, mailbox }: RunOptions): string | undefined {
  return mateOf === undefined || mailbox === undefined ? sessionId : mateSession(mateOf, mailbox.agent);
}

/** A team mate goes on where it was, if it was there before. */
async function conversationBefore(
  options: RunOptions,
  { cwd, ownId }: { cwd: string; ownId: string | undefined },
): Promise<Conversation | undefined> {
  if (options.mateOf === undefined || ownId === undefined) {
    const found = await findConversation(options, cwd);
    if (found?.model === REHEARSAL && found.cwd !== cwd)
      throw failed(goneRehearsal(found.id), "unknown_session");
    return found;
  }
  return findConversation({ ...options, resume: ownId, fork: undefined }, cwd).catch(() => undefined);
}

/** Its script would begin anew, in a project that knows nothing of the session. */
function refuseToResume({ resume, fork, scenario }: RunOptions): void {
  if (resume === undefined && fork === undefined) return;
  const option = resume === undefined ? "--fork" : "--resume";
  const how = scenario === undefined ? SET_A_MODEL : "leave out --scenario";
  throw usageError(
    `${option}: this would be a rehearsal; rehearsals work in a temporary directory and cannot be resumed. To go on with a session of a real model, ${how}`,
  );
}

function goneRehearsal(id: string): string {
  return `${id} was a rehearsal: it worked in a temporary directory, which is gone, and cannot be resumed; start a new session with \`sotto run\``;
}

function hookProblems({ leftOut, problems }: HookFiles): string[] {
  return [...leftOut.map(({ path, reason }) => `${path}: ${reason}`), ...problems];
}

/** A scenario with a project of its own is played in a directory made for it. */
async function placeFor(
  scenario: Scenario | undefined,
  cwd: string,
  closing: (() => Promise<unknown>)[],
): Promise<string> {
  if (scenario === undefined || scenario.project.length === 0) return cwd;
  const directory = await temporary(closing);
  await makeProject(scenario, directory);
  return directory;
}

async function temporary(closing: (() => Promise<unknown>)[]): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "sotto-run-")));
  closing.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** What ran when an earlier process ended has ended with it. */
async function endLostTasks(session: Session): Promise<void> {
  for (const { taskId } of (await session.state()).tasks)
    await session.record({
      type: "task_finished",
      taskId,
      status: "failed",
      error: "the program ended while it ran",
    });
}

function rehearsed(rehearsal: Rehearsal, window: number | undefined): ActiveModel {
  const provider = createAnthropic({ apiKey: REHEARSAL, baseURL: rehearsal.url });
  return { name: REHEARSAL, model: provider(rehearsal.model), window: window ?? REHEARSAL_WINDOW, rehearsal };
}

function newId(): string {
  const [day = "", time = ""] = new Date().toISOString().split(/[T.]/u);
  return `run-${day.replaceAll("-", "")}-${time.replaceAll(":", "")}-${randomBytes(2).toString("hex")}`;
}
