// Markers of models and chat templates, which tokenizers know by their exact spelling: see decision 5.

/** Tag names that models know besides ours; matched like ours, in any disguise. */
export const knownTags: readonly string[] = [
  "system-reminders",
  "function_calls",
  "function_results",
  "tool_call",
  "tool_response",
];

interface Marker {
  /** Whether a text can have the marker; searches for what is short and rare, so that it is fast. */
  readonly isPossibleIn: (text: string) => boolean;
  readonly pattern: RegExp;
  /** What replaces the first character of the marker, or the one before it. */
  readonly instead: string;
}

/** The text with the first character of such markers replaced. */
export function withoutMarkers(text: string): string {
  let plain = text;
  for (const { isPossibleIn, pattern, instead } of [tagLike, ...otherMarkers])
    if (isPossibleIn(plain)) plain = plain.replace(pattern, instead);
  return plain;
}

/** Whether a text can have a marker that does not begin like a tag, or one with a prefix. */
export function hasOtherMarker(text: string): boolean {
  return otherMarkers.some(({ isPossibleIn }) => isPossibleIn(text));
}

/** Begins like a tag. */
const tagLike: Marker = {
  isPossibleIn: hasMarkerStart,
  pattern: anyAfterBracket(
    // Tokens of ChatML, Llama, Phi, Qwen, Harmony; with wide bars those of DeepSeek.
    /[|｜][A-Za-z][\w▁-]{0,60}[|｜]>/,
    /(?:start|end)_of_turn>/,
    /<\/?SYS>>/,
    // Tool calls.
    /\/?antml:/,
    // Not after a letter: there it is a type argument, or Perl's documentation.
    /\/?(?:system|SYSTEM)>(?<![\w$]<\/?(?:system|SYSTEM)>)/,
    // Case-sensitive: `<SystemReminder />` is somebody's component.
    /\/?(?:systemreminders?|SYSTEMREMINDERS?)(?![\w-])/,
  ),
  instead: "[",
};

const otherMarkers: readonly Marker[] = [
  // An element called `invoke` with a name is a tool call, whatever its prefix.
  {
    isPossibleIn: (text) => hasElement(text, "invoke") || hasElement(text, "INVOKE"),
    pattern: anyAfterBracket(
      /(?:[A-Za-z][\w.-]{0,30}:)?(?:invoke\s{1,8}name|INVOKE\s{1,8}NAME)\s{0,8}=/,
      /\/(?:[A-Za-z][\w.-]{0,30}:)?(?:invoke|INVOKE)>/,
    ),
    instead: "[",
  },
  {
    isPossibleIn: (text) =>
      text.includes("[") && hasAny(text, "INST]", "[TOOL", "[/TOOL", "[AVAI", "[/AVAI", "[SYST", "[/SYST"),
    pattern: /\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])/g,
    instead: "(",
  },
  // Turns of a conversation, as they were written before there were roles.
  {
    isPossibleIn: (text) => hasAny(text, "Human:", "Assis"),
    pattern: /(?<=\n[ \t]{0,8}\r?\n[ \t]{0,8})(?=(?:Human|Assistant):)/g,
    instead: "[",
  },
];

const markerStart = /<(?:[|｜]|\/?(?:ant|end_|start_|system|SYS))/g;
const markerStartHere = new RegExp(markerStart.source, "y");
/** Far from the next bracket, on average. */
const far = 60;

/** Goes from bracket to bracket as long as they are far apart: that is faster than the expression. */
function hasMarkerStart(text: string): boolean {
  let at = text.indexOf("<");
  for (let brackets = 0; at >= 0; brackets += 1) {
    const pattern = at < (brackets - far) * far ? markerStart : markerStartHere;
    pattern.lastIndex = at;
    if (pattern.test(text)) return true;
    if (pattern === markerStart) return false;
    at = text.indexOf("<", at + 1);
  }
  return false;
}

/** Searches for the rare letters of the word, then looks at what is before it. */
function hasElement(text: string, word: string): boolean {
  const rare = word.slice(2);
  for (let at = text.indexOf(rare); at >= 0; at = text.indexOf(rare, at + 1))
    if (/[<:/]/.test(text[at - 3] ?? "") && text.startsWith(word, at - 2)) return true;
  return false;
}

function hasAny(text: string, ...hints: readonly string[]): boolean {
  return hints.some((hint) => text.includes(hint));
}

function anyAfterBracket(...rest: readonly RegExp[]): RegExp {
  return new RegExp(`<(?=${rest.map(({ source }) => source).join("|")})`, "g");
}
