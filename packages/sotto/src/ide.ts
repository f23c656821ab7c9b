// sotto/ide: the source for an editor.

export {
  createIdeSource,
  type IdeOptions,
  type IdeSource,
  type IdeState,
  type IdeStatus,
} from "./sources/ide/ide.ts";
