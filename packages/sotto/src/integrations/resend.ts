// A call that failed and is tried again by its client carries the same bytes, whatever happened in between.

export interface Attempt {
  url: string;
  /** As the client gave it. */
  given: string;
  headers: Headers;
  /** The very headers object of the client: some send it again. */
  identity: unknown;
}

export interface Resend {
  /** What was sent when this was tried before; nothing where it is a new call. */
  earlier(attempt: Attempt): string | undefined;
  sent(attempt: Attempt, text: string): void;
  /** It was answered. */
  answered(attempt: Attempt): void;
}

// Each holds a whole request. Where more than these fail at once, the engine gives the same bytes, and what is new.
const ATTEMPTS_MOST = 16;

export function createResend(): Resend {
  let failed: (Attempt & { text: string })[] = [];
  return {
    earlier: (attempt) => failed.find((one) => isSame(one, attempt) && isAgain(one, attempt))?.text,
    sent(attempt, text) {
      const others = failed.filter((one) => !isSame(one, attempt));
      failed = [{ ...attempt, text }, ...others].slice(0, ATTEMPTS_MOST);
    },
    answered(attempt) {
      failed = failed.filter((one) => !isSame(one, attempt));
    },
  };
}

function isSame(one: Attempt, other: Attempt): boolean {
  return one.given === other.given && one.url === other.url;
}

/** Some clients count their attempts in a header, some send the same headers again. */
function isAgain({ identity }: Attempt, { identity: another, headers }: Attempt): boolean {
  const count = Number(headers.get("x-stainless-retry-count") ?? 0);
  return count > 0 || (identity !== undefined && identity === another);
}
