// Opens a run: chooses the model or starts a rehearsal, finds the conversation to continue, and opens the host.

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
import type { AgentEvent, Asker, Listener } from "./agent-events.ts";
import { findConversation, forkSession, holdConversation, transcriptFor } from "./conversation/resume.ts";
import { type Conversation, transcriptFile } from "./conversation/transcript.ts";
import { liveSources, serverProblems } from "./live-sources.ts";
import { configuredModels, type Price } from "./model/model-facts.ts";
import { REHEARSAL, resolveModel, SET_A_MODEL } from "./model/resolve-model.ts";
import { openHost } from "./open-host.ts";
import type { Host, HostOptions, Run, RunOptions } from "./options.ts";
import { createStyles, startStyle } from "./output-styles.ts";
import { loadScenario } from "./rehearsal/load-scenario.ts";
import { makeProject, type Scenario } from "./rehearsal/scenario.ts";
import { type Rehearsal, startRehearsal } from "./rehearsal/start-rehearsal.ts";
import { createSessionRecorder } from "./session-summary.ts";
import { loadAgents } from "./subagents/definitions.ts";
import { joinTeam } from "./team/join-team.ts";
import { enterDelegateMode, teammateSession } from "./team/team.ts";
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

// How long the first call waits for MCP servers and the editor. Slower servers add their tools to later calls.
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
  // The agent uses language servers by default; the library alone starts no programs.
  const options: RunOptions = { ...given, defaults: { language_servers: true } };
  const { models, problems: modelProblems } =
    options.readConfig === false ? { models: [], problems: [] } : await configuredModels(options);
  const chosen =
    options.scenario === undefined ? await resolveModel({ ...options, models }, process.env) : undefined;
  if (chosen === undefined) refuseToResume(options);
  const scenario =
    chosen === undefined ? await loadScenario(options.scenario ?? options.usualScenario) : undefined;
  const cwd = await placeFor(scenario, options.cwd, closing);
  // The rehearsal starts before the host exists: it finds the host here later.
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
  const active: ActiveModel =
    chosen === undefined
      ? rehearsed(rehearsal as Rehearsal, options.window ?? scenario?.window)
      : { name: chosen.id, model: chosen.model, window: chosen.window, price: chosen.price };
  const ownId = sessionOf(options);
  const found = await conversationBefore(options, { cwd, ownId });
  const isContinued = options.fork === undefined && found !== undefined;
  const sessionId = isContinued ? found.id : (ownId ?? newId());
  const held = await holdConversation(options, sessionId);
  closing.push(async () => held?.release());
  // Until now another process may have added to it.
  const before = isContinued ? await findConversation({ ...options, resume: sessionId }, cwd) : found;
  // Without config, a run must not depend on the user's files either.
  const home = options.readConfig === false ? join(options.stateDirectory ?? cwd, "home") : homedir();
  const styles = createStyles({ cwd, home, denyRead: options.denyRead });
  const style = await startStyle(styles, { ...options, given: options.style, before: before?.id });
  const live = await liveSources({ ...options, cwd, home });
  const sources = [live.mcp, live.ide].filter((source) => source !== undefined);
  // The user runs this agent for themselves.
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
  // A sample project is trusted: its hooks can do no more than its script.
  const project = cwd === options.cwd ? options.isTrusted : async () => true;
  const hookFiles = await hooksFor({ cwd, home, trust: { ...trust, project } });
  const listen: Listener = (event) => {
    if (event.type === "compacted" || event.type === "results_cleared") rehearsal?.rewritten(event.type);
    noteReminderTypes(event, opened.types);
    recorder?.hear(event);
    options.listen(event);
  };
  // Rehearsals, and runs without a state directory, leave no summary.
  const { stateDirectory } = options;
  const recorder =
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
    model: active.model,
    window: active.window,
    price: active.price,
    agents,
    sources,
    mcp: live.mcp,
    hooks: hookFiles.hooks,
    source: before === undefined ? "startup" : options.fork === undefined ? "resume" : "fork",
    transcriptPath: transcriptFile(options, sessionId),
    transcript: await transcriptFor(options, { id: sessionId, cwd, model: active.name }, before),
    messages: before?.messages ?? [],
    turns: before?.turns ?? new Map(),
    // A fork leaves them to its parent.
    waiting: options.fork === undefined ? (before?.waiting ?? []) : [],
    stateDirectory: options.stateDirectory ?? (await temporary(closing)),
    ...(session === undefined ? {} : { session }),
  };
  const inner = openHost(hosting);
  const changeModel = async (name: string): Promise<string> => {
    if (chosen === undefined)
      throw failed(
        "a rehearsal cannot switch models; start `sotto run --model PROVIDER/NAME`",
        "invalid_request",
      );
    const isKept = options.stateDirectory !== undefined;
    const during = { sessionId: isKept ? sessionId : undefined, provider: chosen.provider };
    const other = await resolveModel({ ...options, models, model: name, during }, process.env);
    if (other === undefined)
      throw failed(
        "a session cannot switch to the rehearsal; start `sotto run --model rehearsal`",
        "invalid_request",
      );
    active.name = other.id;
    Object.assign(hosting, { model: other.model, window: other.window, price: other.price });
    return other.id;
  };
  const host: Host = recorder === undefined ? inner : { ...inner, agent: recorder.follow(inner.agent) };
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
      return active.name;
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
    end: async () => recorder?.close(host.session),
    ...(rehearsal === undefined ? {} : { rehearsal }),
    ...(scenario === undefined ? {} : { scenario }),
    ...(before === undefined ? {} : { resumed: before }),
    ...(team === undefined ? {} : { team }),
  };
}

/** Optional tools go last, so that the order of the others stays the same. */
function toolsWith(skills: readonly Skill[], remote: string | undefined): readonly Tool[] {
  return [
    ...allTools,
    ...(skills.length === 0 ? [] : [skillTool(skills)]),
    ...(remote === undefined ? [] : [remoteSessionTool(remote)]),
  ];
}

/** The id of a new session, if the options determine it. */
function sessionOf({ sessionId, mateOf, mailbox }: RunOptions): string | undefined {
  return mateOf === undefined || mailbox === undefined ? sessionId : teammateSession(mateOf, mailbox.agent);
}

/** A team mate continues its earlier conversation, if it has one. */
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

/** The script would start again, in a new sample project. */
function refuseToResume({ resume, fork, scenario }: RunOptions): void {
  if (resume === undefined && fork === undefined) return;
  const option = resume === undefined ? "--fork" : "--resume";
  const how = scenario === undefined ? SET_A_MODEL : "leave out --scenario";
  throw usageError(
    `${option}: rehearsals work in a temporary directory and cannot be resumed. To continue a session with a real model, ${how}`,
  );
}

function goneRehearsal(id: string): string {
  return `${id} was a rehearsal: its temporary directory is gone, so it cannot be resumed; start a new session with \`sotto run\``;
}

function hookProblems({ leftOut, problems }: HookFiles): string[] {
  return [...leftOut.map(({ path, reason }) => `${path}: ${reason}`), ...problems];
}

/** A scenario with a sample project runs in a temporary directory. */
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

/** Tasks of an earlier process ended with it. */
async function endLostTasks(session: Session): Promise<void> {
  for (const { taskId } of (await session.state()).tasks)
    await session.record({
      type: "task_finished",
      taskId,
      status: "failed",
      error: "the agent ended while the task was running",
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

// What a scenario can do to the agent: queue prompts, interrupt it, record events, wait for its tasks.

export interface PlayedRun {
  host?: Host;
  /** Reminder types by text: the rehearsal sees only the text. */
  types: Map<string, string>;
}

export function noteReminderTypes(event: AgentEvent, types: Map<string, string>): void {
  if (event.type === "subagent") noteReminderTypes(event.event, types);
  else if (event.type === "reminder") types.set(event.reminder.text, event.reminder.type);
}

export function worldFor(opened: PlayedRun, { onInterrupt }: RunOptions) {
  return {
    typeOf: (text: string) => opened.types.get(text),
    queuePrompt: (text: string) => opened.host?.agent.queue(text),
    interrupt: () => onInterrupt?.(),
    record: (event: Parameters<Session["record"]>[0]) => opened.host?.session.record(event),
    async tasksEnded() {
      while (opened.host?.tasks.list().some(({ status }) => status === "running"))
        await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}

// The scripted user answers the agent's questions.

/** Without an answer in the scenario, asks `otherwise`; without that, answers no, or the first option. */
export function createScriptedAsker(rehearsal: Pick<Rehearsal, "nextAnswer">, otherwise?: Asker): Asker {
  return {
    async permit(request) {
      const answer = rehearsal.nextAnswer();
      if (answer === undefined) return otherwise?.permit(request) ?? "no";
      return answer === "yes" || answer === "always" ? answer : "no";
    },
    async choose(question, options) {
      const answer = rehearsal.nextAnswer();
      if (answer === undefined) return otherwise?.choose(question, options) ?? options[0]?.label ?? "";
      // A number chooses an option, from 1.
      return options[Number(answer) - 1]?.label ?? answer;
    },
    async approvePlan(plan, path) {
      const answer = rehearsal.nextAnswer();
      if (answer === undefined) return otherwise?.approvePlan(plan, path) ?? { approved: false };
      if (answer === "yes" || answer === "always") return { approved: true };
      return { approved: false, ...(answer === "no" ? {} : { feedback: answer }) };
    },
  };
}
