// What the model ought to hear of what happened, worked out beside the engine, to hold its work against.

import type { SessionEvent } from "sotto";

export interface Expected {
  what: string;
  /** Words that stand in the reminder that tells of it, and in no other. */
  marker: string;
  /** How many compactions had been before it. */
  view: number;
  /** No longer true before anyone could be told: it must not be said at all. */
  gone: boolean;
}

export interface Expectations {
  readonly all: readonly Expected[];
  readonly view: number;
  note(event: SessionEvent): void;
  /** The model answered: what was open has been heard. */
  answered(): void;
}

export function createExpectations(): Expectations {
  const all: Expected[] = [];
  let open: Expected[] = [];
  let view = 0;
  let mode = "normal";
  let leftPlan = false;

  function expect(what: string, marker: string): void {
    const expected = { what, marker, view, gone: false };
    all.push(expected);
    open.push(expected);
  }

  return {
    all,
    get view() {
      return view;
    },
    answered() {
      open = [];
    },
    note(event) {
      if (event.type === "compacted") view++;
      else if (event.type === "prompt_queued") expect("queued prompt", String(event.prompt));
      else if (event.type === "message_received") expect("team mail", firstWords(event.text));
      else if (event.type === "task_finished")
        expect("end of a task", `Task ${event.taskId} (type: shell) (status: ${event.status})`);
      else if (event.type === "diagnostics_published") {
        const now = event.diagnostics.map(({ message }) => message);
        for (const one of open) if (one.what === "diagnostic" && !now.includes(one.marker)) one.gone = true;
        for (const message of now) expect("diagnostic", message);
      } else if (event.type === "mode_changed") {
        if (mode === "plan" && event.mode !== "plan") {
          expect("end of plan mode", "## Exited Plan Mode");
          leftPlan = true;
        } else if (mode !== "plan" && event.mode === "plan" && leftPlan)
          expect("return to plan mode", "## Re-entering Plan Mode");
        mode = event.mode;
      }
    },
  };
}

function firstWords(text: string): string {
  return text.split("<", 1)[0]?.trim() ?? "";
}
