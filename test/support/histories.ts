// Random conversations that every provider takes, told once and written in each provider's form.

import fc from "fast-check";

export type Piece = { text: string } | { image: string };

/** One message of the user. Written as a string where it says so and is nothing but one text. */
export interface Prompt {
  pieces: Piece[];
  asString: boolean;
}

export interface Call {
  input: Record<string, unknown>;
  /** What the tool answered; nothing at all is an answer too. */
  result: Piece[];
  asString: boolean;
  failed: boolean;
}

export interface Reply {
  thought: string | undefined;
  texts: string[];
  /** The provider's own search, made inside the reply. */
  search: boolean;
  calls: Call[];
  asString: boolean;
}

/** What a client adds from one request to the next: the reply, its calls' results, what the user says then. */
export interface Step {
  /** Missing in the first step only. */
  reply: Reply | undefined;
  /** At least one where there are no calls. */
  prompts: Prompt[];
  /** Each result in a message of its own, where the provider has a choice. */
  spread: boolean;
  /** The first prompt shares the message of the results, where the provider has a choice. */
  joined: boolean;
  /** An instruction of the trusted role behind the prompts, where the writer is told to write them. */
  instruction: string | undefined;
}

export interface Conversation {
  system: Prompt | undefined;
  thinking: boolean;
  steps: Step[];
  /** The beginning of the next reply, put into the assistant's mouth. */
  prefill: string | undefined;
  /** Where cache breakpoints are: each names one of the places that can have one, by its remainder. */
  breakpoints: number[];
}

/** How much of a conversation is written, and how. */
export interface Telling {
  /** The first so many steps; all of them unless said. Only the whole has its prefill. */
  steps?: number;
  /** Instead of the conversation's own. */
  breakpoints?: readonly number[];
  /** Also the instructions in the middle, which not every model takes. */
  instructions?: boolean;
}

export interface Sizes {
  minSteps?: number;
  maxSteps?: number;
}

/** A step is a turn: one request to the model. */
export function conversations({ minSteps = 1, maxSteps = 8 }: Sizes = {}): fc.Arbitrary<Conversation> {
  return fc
    .record({
      system: fc.option(prompt(1), { nil: undefined }),
      thinking: fc.boolean(),
      first: step(fc.constant(undefined)),
      later: fc.array(step(reply), { minLength: minSteps - 1, maxLength: maxSteps - 1, size: "max" }),
      prefill: fc.option(text, { nil: undefined, freq: 3 }),
      breakpoints: fc.array(fc.nat(), { maxLength: 4 }),
    })
    .map(({ first, later, thinking, prefill, ...rest }) => ({
      ...rest,
      thinking,
      steps: [first, ...later].map((each) => settled(each, thinking)),
      // No provider lets a model think in front of words it has already said.
      prefill: thinking ? undefined : prefill,
    }));
}

/** The same conversation as a client writes it that never sends a lone string. */
export function inBlocks(conversation: Conversation): Conversation {
  const blocks = <Item extends { asString: boolean }>(item: Item): Item => ({ ...item, asString: false });
  return {
    ...conversation,
    system: conversation.system && blocks(conversation.system),
    steps: conversation.steps.map((each) => ({
      ...each,
      reply: each.reply && { ...blocks(each.reply), calls: each.reply.calls.map(blocks) },
      prompts: each.prompts.map(blocks),
    })),
  };
}

/** The text where a message is written as a lone string. */
export function loneText({ pieces, asString }: { pieces: Piece[]; asString: boolean }): string | undefined {
  const [first] = pieces;
  return asString && pieces.length === 1 && first && "text" in first ? first.text : undefined;
}

// A letter first, a mark last: providers refuse blank texts, and prefills that end in white space.
const text = fc.string({ maxLength: 12, unit: "grapheme" }).map((value) => `a${value}.`);
const image = fc.base64String({ minLength: 4, maxLength: 12 });
const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ text }) },
  { weight: 1, arbitrary: fc.record({ image }) },
);
const call: fc.Arbitrary<Call> = fc.record({
  input: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
  result: fc.array(piece, { maxLength: 2 }),
  asString: fc.boolean(),
  failed: fc.boolean(),
});
const reply: fc.Arbitrary<Reply> = fc.record({
  thought: fc.option(text, { nil: undefined }),
  texts: fc.array(text, { maxLength: 2 }),
  search: fc.boolean(),
  calls: fc.array(call, { maxLength: 3 }),
  asString: fc.boolean(),
});

function prompt(maxLength: number): fc.Arbitrary<Prompt> {
  const rest = fc.array(piece, { maxLength: maxLength - 1 });
  return fc.record({
    pieces: fc.tuple(fc.record({ text }), rest).map(([first, others]) => [first, ...others]),
    asString: fc.boolean(),
  });
}

function step(replies: fc.Arbitrary<Reply | undefined>): fc.Arbitrary<Step> {
  return fc.record({
    reply: replies,
    prompts: fc.array(prompt(3), { maxLength: 2 }),
    spread: fc.boolean(),
    joined: fc.boolean(),
    instruction: fc.option(text, { nil: undefined, freq: 3 }),
  });
}

/** What providers demand of the parts together: someone says something, thinking is never missing nor alone. */
function settled({ reply: said, prompts, ...rest }: Step, thinking: boolean): Step {
  const asked = prompts.length > 0 || said?.calls.length ? prompts : [{ pieces: [hello], asString: true }];
  if (!said) return { ...rest, reply: said, prompts: asked };
  const texts = said.texts.length > 0 || said.calls.length > 0 ? said.texts : ["Hello."];
  const thought = thinking ? (said.thought ?? "Hm.") : said.thought;
  return { ...rest, prompts: asked, reply: { ...said, texts, thought } };
}

const hello: Piece = { text: "Hello?" };
