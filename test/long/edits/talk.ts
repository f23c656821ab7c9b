// A conversation as its client keeps it, in no provider's words. Every piece has a key that survives edits.

export type Piece =
  | { key: string; is: "text"; text: string }
  | { key: string; is: "thinking"; text: string }
  | { key: string; is: "call"; id: string; name: string; input: Record<string, unknown> }
  | { key: string; is: "result"; id: string; name: string; output: string };

export interface Message {
  role: "user" | "assistant" | "tool";
  pieces: Piece[];
  /** A number providers may give it; some clients write it anew. */
  id: string;
  /** A reminder that the client has kept, and how it was sent in which dialect. */
  kept?: { wire: string; message: Record<string, unknown> | undefined };
}

export interface Talk {
  system: string;
  messages: Message[];
}

export type CallPiece = Extract<Piece, { is: "call" }>;
export type ResultPiece = Extract<Piece, { is: "result" }>;

/** What a piece says, whatever its ids and its dialect: equal for equal content. */
export function saidBy(piece: Piece): string {
  if (piece.is === "call") return `call ${piece.name} ${JSON.stringify(piece.input)}`;
  if (piece.is === "result") return `result ${piece.output}`;
  return `${piece.is} ${piece.text}`;
}

export function piecesOf(talk: Talk): Piece[] {
  return talk.messages.flatMap(({ pieces }) => pieces);
}

export function resultsOf(talk: Talk): ResultPiece[] {
  return piecesOf(talk).filter((piece) => piece.is === "result");
}

/** One line a message, for people who read failures. */
export function listing(talk: Talk): string[] {
  return talk.messages.map(({ role, pieces, kept }) => {
    const parts = pieces.map((piece) => `${piece.key}:${saidBy(piece).slice(0, 40).replaceAll("\n", " ")}`);
    return `${kept ? "kept " : ""}${role} [${parts.join(" | ")}]`;
  });
}
