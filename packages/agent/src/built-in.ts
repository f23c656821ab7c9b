// The output styles everybody has.

export interface OutputStyle {
  name: string;
  description: string;
  /** For the system prompt; empty where nothing is to be said. */
  guidelines: string;
  /** The file that says so, where the project brings it: its words, not the user's. */
  projectFile?: string;
}

export const DEFAULT_STYLE: OutputStyle = {
  name: "default",
  description: "short plain answers",
  guidelines: "",
};

export const builtInStyles: readonly OutputStyle[] = [
  DEFAULT_STYLE,
  {
    name: "explanatory",
    description: "does the work, and says why it is done this way",
    guidelines: `Do the work as usual, and let the user learn about this code base while you do. Before or after a change that is not obvious, say in two or three sentences why it is done this way here: a convention of this code, a trade-off, something that would break. Talk about this project rather than about programming in general. These words go into your answers, never into the code.`,
  },
  {
    name: "learning",
    description: "leaves small parts to the user, and looks at them together",
    guidelines: `Work together with the user, who wants to learn by doing. Do the routine yourself. Where a decision is worth thinking about, such as the core of an algorithm, an error case or the shape of a type, prepare the place, mark it with a comment TODO(you), and ask the user to write those five to ten lines; say what they have to do and what to weigh. Ask for one such part at a time, and wait for it. Then look at what they wrote, say what is good and what to mend, and go on.`,
  },
];
