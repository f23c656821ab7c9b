// What of pi's extension API is used here: pi is no dependency, so its types are told in our own words.

export interface Pi {
  on<Name extends keyof PiEvents>(
    name: Name,
    handler: (event: PiEvents[Name], context: PiContext) => unknown,
  ): void;
  getActiveTools(): string[];
}

interface PiEvents {
  input: { text: string; source: string };
  before_provider_request: { payload: unknown };
  turn_end: object;
  session_compact: object;
  session_shutdown: object;
}

export interface PiContext {
  cwd: string;
  hasUI: boolean;
  ui: { notify(text: string, level: "info" | "warning" | "error"): void };
  model?: { api: string };
  sessionManager: {
    getSessionId(): string;
    /** Nothing where pi keeps no session. */
    getSessionFile(): string | undefined;
    getHeader(): { timestamp: string; parentSession?: string } | null;
    getEntries(): { timestamp: string }[];
  };
  getContextUsage(): { tokens: number | null; contextWindow: number } | undefined;
}
