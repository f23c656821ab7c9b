// A session as a person reads it: text as it comes, calls and reminders in a line each, sub-agents indented.

import { homedir } from "node:os";
import type { AgentEvent, Listener } from "../agent-events.ts";
import { addUsage, noUsage } from "../model/model-facts.ts";
import type { Style } from "../terminal/style.ts";
import { count, createShortPaths, safeLine, safeText } from "../terminal/text.ts";
import { wrapped } from "../terminal/word-wrap.ts";
import { eventLine, reminderMark, usageLine } from "./event-line.ts";
import { createSpinner, type Out, pageOn } from "./page.ts";
import { createTextWriter, type Speaker } from "./text-writer.ts";

export interface TextFaceOptions {
  out: Out;
  style: Style;
  /** In full, not as a mark alone. */
  showReminders?: boolean;
  width: number;
  cwd: string;
  isTty: boolean;
}

type Event<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

const LONGEST_LINE = 4000;
// Some terminals say they have no columns at all.
const LEAST_WIDTH = 20;
const UNFOLDED = "    ";

export function createTextFace(options: TextFaceOptions): Listener {
  const { out, style, showReminders = false, cwd, isTty } = options;
  const width = Math.max(LEAST_WIDTH, options.width);
  const page = pageOn(out);
  const paths = createShortPaths({ cwd, home: homedir() });
  const short = (text: string) => paths.words(text.slice(0, LONGEST_LINE));
  const scribe = createTextWriter({ page, style, width, short });
  const main = scribe.createSpeaker(0, "");
  const subagents = new Map<string, Speaker>();
  /** What others did while a line of the answer was being written: it must not tear that line apart. */
  const held: AgentEvent[] = [];
  let mode = "normal";
  let usage = noUsage;
  const spinner = createSpinner(page);

  function show(event: AgentEvent, speaker: Speaker): void {
    if (event.type === "subagent") show(event.event, speakerOf(event, speaker));
    else {
      if (!isAside(event)) settle(event, speaker);
      showOwn(event, speaker);
      if (speaker.depth === 0) keepStatus(event);
    }
  }

  function speakerOf({ sessionId, agentType, ofProject }: Event<"subagent">, parent: Speaker): Speaker {
    const name = ofProject ? `${agentType} (of this project)` : agentType;
    const speaker = subagents.get(sessionId) ?? scribe.createSpeaker(parent.depth + 1, name);
    subagents.set(sessionId, speaker);
    return speaker;
  }

  /** What was begun is brought to its end before something else is shown. */
  function settle(event: AgentEvent, speaker: Speaker): void {
    if (event.type !== "text") scribe.endText(speaker);
    if (event.type === "reasoning" || speaker.reasoning.trim() === "") return;
    scribe.line(speaker, style.dim(safeLine(`∴ ${speaker.reasoning}`, speaker.width)));
    speaker.reasoning = "";
  }

  function showOwn(event: AgentEvent, speaker: Speaker): void {
    const lineOptions = { style, short, width: speaker.width };
    switch (event.type) {
      case "text":
        scribe.say(speaker, event.text);
        break;
      case "reasoning":
        speaker.reasoning = (speaker.reasoning + event.text).slice(0, LONGEST_LINE);
        break;
      case "tool_started":
        scribe.beginLine(speaker);
        speaker.calls.start(event);
        break;
      case "tool_finished":
        if (speaker.calls.finishHere(event)) break;
        scribe.beginLine(speaker);
        speaker.calls.finishElsewhere(event);
        break;
      case "reminder":
        scribe.line(speaker, reminderMark(event.reminder, lineOptions));
        if (showReminders)
          scribe.line(speaker, unfolded(event.reminder.text, { style, width: speaker.width }));
        break;
      case "notice":
        scribe.line(speaker, wrapped(safeText(event.text).trimEnd(), speaker.width));
        break;
      case "finished":
        finish(event, speaker);
        break;
      default: {
        const line = eventLine(event, lineOptions);
        if (line !== undefined) scribe.line(speaker, line);
      }
    }
  }

  function finish(event: Event<"finished">, speaker: Speaker): void {
    const cost = event.costUsd === undefined ? {} : { costUsd: event.costUsd };
    if (speaker.depth > 0) {
      const words = `${count(event.turns, "turn")} · ${usageLine(event.usage, cost)}`;
      scribe.line(speaker, style.dim(safeLine(words, speaker.width)));
    } else {
      scribe.close(style.dim(safeLine(usageLine(event.usage, { mode, ...cost }), width)));
      usage = noUsage;
    }
  }

  function keepStatus(event: AgentEvent): void {
    if ("mode" in event) mode = event.mode;
    if (event.type === "turn_finished") usage = addUsage(usage, event.usage);
    if (event.type !== "turn_started" || !isTty) return;
    const soFar = usage === noUsage ? mode : usageLine(usage, { mode });
    spinner.start((frame) => style.dim(safeLine(`${frame} ${soFar} · turn ${event.turn} …`, width - 8)));
  }

  function showHeld(): void {
    for (const event of held.splice(0)) show(event, main);
  }

  return (event) => {
    spinner.stop();
    if (isAside(event) && scribe.isMidLine()) {
      held.push(event);
      return;
    }
    if (!isAside(event)) settle(event, main);
    if (event.type !== "text") showHeld();
    show(event, main);
    if (!page.isOpen) showHeld();
  };
}

/** Comes from elsewhere at any time, and ends nothing that is being said. */
function isAside({ type }: AgentEvent): boolean {
  return type === "subagent" || type === "task" || type === "notice";
}

function unfolded(text: string, { style, width }: { style: Style; width: number }): string {
  return wrapped(safeText(text).trimEnd(), width - UNFOLDED.length)
    .split("\n")
    .map((line) => (line === "" ? line : `${UNFOLDED}${style.dim(line)}`))
    .join("\n");
}
