// What a Gemini model demands, told from its name; of a name it cannot read it expects the newest.

export type GeminiModel = {
  /** Calls carry ids, and the first of each step must come back with its signature. */
  signed: boolean;
  /** The user has the last word, and nothing stands behind function responses in their content. */
  userEnds: boolean;
};

export function geminiModel(name = ""): GeminiModel {
  const [, major = "99", minor = "0"] = /^gemini-(\d+)(?:\.(\d+))?/.exec(name) ?? [];
  const generation = Number(major) * 100 + Number(minor);
  return {
    signed: generation >= 300,
    userEnds: generation >= 306 || (generation === 305 && name.includes("flash-lite")),
  };
}

/** The model in an address like /v1beta/models/gemini-test:generateContent. */
export function modelOf(path: string): string {
  return /\/models\/([^/:?]+)/.exec(path)?.[1] ?? "";
}
