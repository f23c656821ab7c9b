// Markers of models and their chat templates, which tokenizers know by their exact spelling: see decision 5.

interface Marker {
  /** No text has the marker that has none of these: short, with a rare character first, they are looked for at once. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  /** What stands for the character the marker begins with, or before it. */
  readonly instead: string;
}

const markers: readonly Marker[] = [
  // Tokens of ChatML, Llama, Phi, Qwen, Harmony; with wide bars those of DeepSeek.
  { hints: ["|>", "｜>"], pattern: /<(?=[|｜][A-Za-z][\w▁-]{0,60}[|｜]>)/g, instead: "[" },
  { hints: ["<start", "<end_"], pattern: /<(?=(?:start|end)_of_turn>)/g, instead: "[" },
  { hints: ["<<SYS", "<</SYS"], pattern: /<(?=<\/?SYS>>)/g, instead: "[" },
  {
    hints: ["INST]", "[TOOL", "[/TOOL", "[AVAI", "[/AVAI", "[SYST", "[/SYST"],
    pattern: /\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])/g,
    instead: "(",
  },
  // Turns of a conversation, as they were written before there were roles.
  {
    hints: ["Human:", "Assis"],
    pattern: /(?<=\n[ \t]{0,8}\r?\n[ \t]{0,8})(?=(?:Human|Assistant):)/g,
    instead: "[",
  },
  // Calls of tools; an element called `invoke` with a name is one of those, whatever its prefix.
  { hints: ["<ant", "</ant"], pattern: /<(?=\/?antml:)/g, instead: "[" },
  {
    hints: ["<invok", ":invok", "/invok"],
    pattern: /<(?=(?:[A-Za-z][\w.-]{0,30}:)?invoke\s{1,8}name\s{0,8}=|\/(?:[A-Za-z][\w.-]{0,30}:)?invoke>)/g,
    instead: "[",
  },
  // Not behind a letter: there it is a type's argument, or Perl's documentation.
  { hints: ["<syst", "</syst"], pattern: /(?<![\w$])<(?=\/?system>)/g, instead: "[" },
  // In one case: `<SystemReminder />` is somebody's component.
  {
    hints: ["<syst", "</syst", "<SYST", "</SYST"],
    pattern: /<(?=\/?(?:systemreminders?|SYSTEMREMINDERS?)(?![\w-]))/g,
    instead: "[",
  },
];

/** Names of tags models know besides ours; read like ours, in any disguise. */
export const knownTags: readonly string[] = [
  "system-reminders",
  "function_calls",
  "function_results",
  "tool_call",
  "tool_response",
];

/** The text with such markers opened by another character. */
export function withoutMarkers(text: string): string {
  let plain = text;
  for (const { hints, pattern, instead } of markers)
    if (hints.some((hint) => plain.includes(hint))) plain = plain.replace(pattern, instead);
  return plain;
}
