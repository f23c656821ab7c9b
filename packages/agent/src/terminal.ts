// For every program at a terminal: errors with exit codes, colours, text that is safe to print.

export {
  CLOSED_PIPE,
  type ExitCode,
  type Failure,
  failed,
  oneLine,
  ProgramError,
  toFailure,
  usageError,
} from "./terminal/failure.ts";
export { fileProblem } from "./terminal/file-problem.ts";
export { createStyle, isTerminal, lineWidth, type Style } from "./terminal/style.ts";
export {
  bytesWords,
  count,
  createShortPaths,
  createWordWrap,
  cut,
  grouped,
  indent,
  moment,
  type Places,
  printable,
  type ShortPaths,
  wrapped,
} from "./terminal/text.ts";
