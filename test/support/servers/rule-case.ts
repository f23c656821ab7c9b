// A request body and what a provider's rules make of it.

/** `expect` has one complaint, or several where one mistake is seen from more than one side. */
export type InvalidCase<Rules> = { rule: string; body: unknown; expect: RegExp | RegExp[]; rules?: Rules };
export type ValidCase<Rules> = { what: string; body: unknown; rules?: Rules };
