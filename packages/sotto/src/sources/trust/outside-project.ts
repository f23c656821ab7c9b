// The places outside the project that could reach the model, and the host option that allows each. The only such
// list: readers of these places ask `takes`, `sotto doctor` prints it, docs/guide/storage.md repeats it.

/** What a host opts in to: nothing by default, as an embedded agent may serve someone other than the machine's owner. */
export interface OutsideProjectOptions {
  /** See `TrustOptions` of a session. */
  trust?: { user?: boolean | undefined; pastSessions?: boolean | undefined } | undefined;
}

export type OutsideNeed = "trust.user" | "trust.pastSessions" | "nothing";

/** Something outside the project that can reach the model, and the option that lets it. */
export interface ExternalInput {
  what: string;
  where: string;
  needs: OutsideNeed;
}

/** Everything outside the project that can reach the model, and the option that lets it. */
export const externalInputs = {
  user_instructions: {
    what: "the user's instructions and rules",
    where: "~/.claude/CLAUDE.md, ~/.claude/rules, rules in the config directory",
    needs: "trust.user",
  },
  above_project: {
    what: "instruction files and rules above the project",
    where: "AGENTS.md, CLAUDE.md and rules in the directories above the project's root",
    needs: "trust.user",
  },
  user_reminders: {
    what: "the user's own reminders",
    where: "reminders in the config directory",
    needs: "trust.user",
  },
  user_templates: {
    what: "the user's own texts for reminders",
    where: "templates in the config directory",
    needs: "trust.user",
  },
  user_config: {
    what: "the words, places and programs of the user's config; its switches and limits always hold",
    where: "config.toml in the config directory",
    needs: "trust.user",
  },
  user_skills: {
    what: "the user's skills, where the host asks for skills",
    where: "~/.claude/skills, skills in the config directory",
    needs: "trust.user",
  },
  user_hooks: {
    what: "what the user's hooks answer, where the host runs hooks",
    where: "hooks.json in the config directory, ~/.claude/settings.json",
    needs: "trust.user",
  },
  mentioned_files: {
    what: "files and directories outside the project that the prompt in a request mentions",
    where: "@~/notes.md, @/etc/hosts; what the host passes as `userPrompt` may name any",
    needs: "trust.user",
  },
  session_notes: {
    what: "notes of earlier sessions in this directory",
    where: "session-memory in the state directory",
    needs: "trust.pastSessions",
  },
  managed: {
    what: "instructions of the machine's owner",
    where: "the managed directory of the system",
    needs: "nothing",
  },
} as const satisfies Record<string, ExternalInput>;

export type OutsideName = keyof typeof externalInputs;

/** Whether files in a place may be read for the model. */
export type Takes = (place: OutsideName) => boolean;

export function takesFrom({ trust }: OutsideProjectOptions): Takes {
  const user = trust?.user === true;
  if (trust?.pastSessions === true) return user ? TAKES.all : TAKES.pastSessions;
  return user ? TAKES.user : TAKES.none;
}

// The same functions for all sessions.
const TAKES = {
  all: takesWith({ user: true, pastSessions: true }),
  user: takesWith({ user: true, pastSessions: false }),
  pastSessions: takesWith({ user: false, pastSessions: true }),
  none: takesWith({ user: false, pastSessions: false }),
};

function takesWith({ user, pastSessions }: { user: boolean; pastSessions: boolean }): Takes {
  const given: Record<OutsideNeed, boolean> = {
    "trust.user": user,
    "trust.pastSessions": pastSessions,
    nothing: true,
  };
  return (place) => given[externalInputs[place].needs];
}

/** Why nothing was read from a place, for the trace. */
export function notTaken(place: OutsideName): string {
  const { needs } = externalInputs[place];
  const option = needs === "trust.pastSessions" ? "pastSessions" : "user";
  return `outside the project, and the host has not opted in with trust: { ${option}: true }`;
}
