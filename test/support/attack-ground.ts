// A clone that someone hostile wrote, the user's home beside it, and what came out: requests, traces and the store's bytes.

import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  anthropicMessages,
  createSession,
  createSqliteStore,
  type Session,
  type SessionOptions,
  type Turn,
} from "sotto";

export const CANARY = "CANARY-4f1e-outside";

export interface AttackGround {
  /** The clone, the user's home, and a place that is neither. */
  clone: string;
  home: string;
  outside: string;
  write(path: string, content: string): string;
  link(path: string, target: string): void;
  hardLink(path: string, target: string): void;
  open(options?: Partial<SessionOptions>): Session;
  /** A turn with a request body, committed. */
  ask(session: Session, prompt: string): Promise<Turn>;
  /** All that left: request bodies, reminders, attachments, traces, and the store as bytes. Ends the sessions. */
  leaked(): Promise<string>;
  remove(): Promise<void>;
}

export function createAttackGround({ repository = true } = {}): AttackGround {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-attack-")));
  const [home, clone, outside, stores] = ["home/dev", "home/dev/src/clone", "mnt/outside", "stores"].map(
    (name) => {
      mkdirSync(join(root, name), { recursive: true });
      return join(root, name);
    },
  ) as [string, string, string, string];
  if (repository) mkdirSync(join(clone, ".git"));
  const path = join(stores, "sotto.db");
  const store = createSqliteStore({ path });
  const sessions: Session[] = [];
  const histories = new Map<Session, object[]>();
  const said: unknown[] = [];
  const place = (name: string) => {
    const full = name.startsWith("/") ? name : join(clone, name);
    mkdirSync(dirname(full), { recursive: true });
    return full;
  };
  const end = async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
    await store.close();
  };
  return {
    clone,
    home,
    outside,
    write(name, content) {
      const full = place(name);
      writeFileSync(full, content);
      return full;
    },
    link: (name, target) => symlinkSync(target, place(name)),
    hardLink: (name, target) => linkSync(target, place(name)),
    open(options = {}) {
      const { config, ...rest } = options;
      const session = createSession({
        cwd: clone,
        home,
        agent: { kind: "main" },
        store,
        // As `sotto run` has it: what could come out, would.
        trust: { user: true, pastSessions: true },
        ...rest,
        config: { timeout_ms: 20_000, ...config },
      });
      sessions.push(session);
      return session;
    },
    async ask(session, prompt) {
      const messages = histories.get(session) ?? [];
      histories.set(session, messages);
      messages.push({ role: "user", content: prompt });
      const body = { model: "m", max_tokens: 1, messages: [...messages] } as never;
      const turn = await session.turn({ dialect: anthropicMessages, body });
      await turn.commit();
      messages.push({ role: "assistant", content: "Yes." });
      said.push(turn.body, turn.reminders, turn.attachments, turn.trace, turn.problems);
      return turn;
    },
    async leaked() {
      await end();
      const bytes = readdirSync(stores).map((name) => readFileSync(join(stores, name), "latin1"));
      return [JSON.stringify(said), ...bytes].join("\n");
    },
    async remove() {
      await end().catch(() => undefined);
      rmSync(root, { recursive: true, force: true });
    },
  };
}
