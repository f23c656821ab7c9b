// Which language servers there are for which files: those that need no config, and those that config adds or changes.

import {
  BUILT_IN_SERVERS,
  type BuiltInServer,
  type LanguageServersSettings,
} from "../../config/language-servers.ts";

export interface ServerPlan {
  name: string;
  extensions: readonly string[];
  /** Commands, the first of which that is there is taken. */
  candidates: readonly (readonly string[])[];
  languageId?: string;
  settings: Readonly<Record<string, unknown>>;
  /** The command that brings it, where that is known. */
  install?: string;
}

const KNOWN: Record<BuiltInServer, Pick<ServerPlan, "extensions" | "candidates" | "install">> = {
  typescript: {
    extensions: [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"],
    candidates: [
      ["typescript-language-server", "--stdio"],
      ["tsc", "--lsp", "--stdio"],
    ],
    install: "npm install -g typescript-language-server typescript",
  },
  python: {
    extensions: [".py", ".pyi"],
    candidates: [["pyright-langserver", "--stdio"], ["basedpyright-langserver", "--stdio"], ["pylsp"]],
    install: "npm install -g pyright",
  },
};

const LANGUAGE_IDS: Record<string, string> = {
  ".ts": "typescript",
  ".mts": "typescript",
  ".cts": "typescript",
  ".tsx": "typescriptreact",
  ".js": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".jsx": "javascriptreact",
  ".py": "python",
  ".pyi": "python",
  ".go": "go",
  ".rs": "rust",
  ".c": "c",
  ".h": "c",
  ".cc": "cpp",
  ".cpp": "cpp",
  ".hpp": "cpp",
  ".java": "java",
  ".rb": "ruby",
  ".php": "php",
  ".cs": "csharp",
  ".sh": "shellscript",
};

/** What config asks for, the servers it names first: they may take files from the others. */
export function plansFor({ servers }: LanguageServersSettings): ServerPlan[] {
  const isBuiltIn = (name: string): name is BuiltInServer =>
    (BUILT_IN_SERVERS as readonly string[]).includes(name);
  const names = [...Object.keys(servers).filter((name) => !isBuiltIn(name)), ...BUILT_IN_SERVERS];
  return names.flatMap((name) => {
    const { enabled = true, command, extensions, language_id, settings = {} } = servers[name] ?? {};
    const known = isBuiltIn(name) ? KNOWN[name] : undefined;
    const handled = extensions ?? known?.extensions;
    const candidates = command === undefined ? known?.candidates : [command];
    if (!enabled || handled === undefined || candidates === undefined) return [];
    return {
      name,
      extensions: handled,
      candidates,
      settings,
      ...(language_id === undefined ? {} : { languageId: language_id }),
      ...(command === undefined && known?.install !== undefined ? { install: known.install } : {}),
    };
  });
}

export function planFor(path: string, plans: readonly ServerPlan[]): ServerPlan | undefined {
  return plans.find(({ extensions }) => extensions.includes(extensionOf(path)));
}

export function languageIdOf(path: string, { languageId }: ServerPlan): string {
  return languageId ?? LANGUAGE_IDS[extensionOf(path)] ?? extensionOf(path).slice(1);
}

function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.slice(name.lastIndexOf(".")).toLowerCase();
}
