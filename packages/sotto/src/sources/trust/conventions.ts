// What is known about programs: the files of a project that they run without being told, and which of them run nothing.

const PACKAGE = ["package.json"];
const PYTHON = ["pyproject.toml", "setup.py", "setup.cfg"];
const COMPOSE = [
  "compose.y*ml",
  "docker-compose.y*ml",
  "compose.override.y*ml",
  "docker-compose.override.y*ml",
];
const GRADLE = ["build.gradle*", "settings.gradle*", "gradle.properties"];
const JUST = ["justfile", "Justfile", ".justfile"];
const PYTEST = ["conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", ...PYTHON];
const NIX = ["flake.nix", "flake.lock", "shell.nix", "default.nix"];
const DOTNET = ["*.*proj", "*.sln*", "Directory.*.props", "Directory.*.targets", "*.config", "global.json"];
const BABEL = ["babel.config.*", ".babelrc*"];
const VITE = ["vite.config.*", "vitest.workspace.*"];
const TYPESCRIPT = ["tsconfig*.json"];
const PUB = ["pubspec.yaml", "analysis_options.yaml"];
/** In any directory of the project. */
const ALL_PACKAGES = ["**/package.json"];

/** By the name of a program, or of an option as in `node --run`. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  npm: [...PACKAGE, ".npmrc"],
  pnpm: [...PACKAGE, ".npmrc", ".pnpmfile.cjs", "pnpm-workspace.yaml"],
  yarn: [...PACKAGE, ".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".pnp.loader.mjs"],
  bun: [...PACKAGE, "bunfig.toml"],
  "--run": PACKAGE,
  deno: [...PACKAGE, "deno.json*"],
  turbo: [...PACKAGE, ...ALL_PACKAGES, "turbo.json*"],
  nx: [...PACKAGE, ...ALL_PACKAGES, "nx.json", "**/project.json"],
  lerna: [...PACKAGE, ...ALL_PACKAGES, "lerna.json"],
  make: ["Makefile", "makefile", "GNUmakefile"],
  gmake: ["Makefile", "makefile", "GNUmakefile"],
  just: JUST,
  task: ["[Tt]askfile.y*ml", "[Tt]askfile.dist.y*ml"],
  cargo: ["Cargo.toml", "build.rs", ".cargo/config*"],
  go: ["go.mod", "go.work"],
  composer: ["composer.json"],
  rake: ["[Rr]akefile*"],
  bundle: ["Gemfile", ".bundle/config"],
  rspec: [".rspec", "spec/spec_helper.rb"],
  gradle: [...GRADLE, "init.gradle*"],
  gradlew: [...GRADLE, "init.gradle*", "gradle/wrapper/*"],
  mvn: ["pom.xml", ".mvn/*"],
  mvnw: ["pom.xml", ".mvn/*", ".mvn/wrapper/*"],
  ant: ["build.xml"],
  sbt: ["build.sbt", "project/*"],
  mix: ["mix.exs", ".formatter.exs", "config/*.exs"],
  cmake: ["CMakeLists.txt", "CMakePresets.json"],
  ninja: ["build.ninja"],
  meson: ["meson.build"],
  scons: ["SConstruct"],
  bazel: ["BUILD*", "WORKSPACE*", "MODULE.bazel", ".bazelrc", "tools/bazel"],
  rebar3: ["rebar.config"],
  pytest: PYTEST,
  tox: ["tox.ini", ...PYTHON],
  nox: ["noxfile.py"],
  invoke: ["tasks.py"],
  inv: ["tasks.py"],
  fab: ["fabfile.py"],
  uv: PYTHON,
  poetry: PYTHON,
  pdm: PYTHON,
  hatch: [...PYTHON, "hatch.toml"],
  pip: ["requirements*.txt", ...PYTHON],
  "pre-commit": [".pre-commit-config.yaml"],
  lefthook: ["lefthook.y*ml", ".lefthook.y*ml", "lefthook-local.y*ml"],
  "lint-staged": [...PACKAGE, ".lintstagedrc*"],
  gulp: ["[Gg]ulpfile*"],
  grunt: ["Gruntfile*"],
  docker: ["Dockerfile", ...COMPOSE],
  podman: ["Dockerfile", "Containerfile", ...COMPOSE],
  "docker-compose": COMPOSE,
  vagrant: ["Vagrantfile"],
  "ansible-playbook": ["ansible.cfg"],
  mise: ["mise.toml", ".mise.toml", "mise.local.toml", ".config/mise*", ".config/mise/*"],
  direnv: [".envrc"],
  eslint: PACKAGE,
  prettier: PACKAGE,
  stylelint: PACKAGE,
  xo: PACKAGE,
  wireit: PACKAGE,
  biome: ["biome.json*"],
  oxlint: [".oxlintrc.json"],
  vitest: VITE,
  vite: VITE,
  jest: [...PACKAGE, ...BABEL],
  babel: BABEL,
  mocha: PACKAGE,
  ava: PACKAGE,
  "ts-node": TYPESCRIPT,
  tsx: TYPESCRIPT,
  ng: ["angular.json", ...TYPESCRIPT],
  husky: [".husky/*"],
  pipenv: ["Pipfile"],
  pylint: ["pylintrc*", ...PYTHON, "tox.ini"],
  flake8: [".flake8", "setup.cfg", "tox.ini"],
  mypy: ["mypy.ini", ".mypy.ini", ...PYTHON],
  rubocop: [".rubocop.yml", ".rubocop_todo.yml"],
  swift: ["Package.swift"],
  dotnet: DOTNET,
  msbuild: DOTNET,
  nix: NIX,
  "nix-shell": NIX,
  "nix-build": NIX,
  devbox: ["devbox.json"],
  devenv: ["devenv.nix", "devenv.yaml"],
  zig: ["build.zig", "build.zig.zon"],
  phpunit: ["phpunit.xml*", "phpunit.dist.xml"],
  pest: ["phpunit.xml*", "tests/Pest.php"],
  phpstan: ["phpstan.neon*", "phpstan.dist.neon"],
  overmind: ["Procfile*", ".overmind.env", ".env"],
  foreman: ["Procfile*", ".env", ".foreman"],
  honcho: ["Procfile*", ".env"],
  earthly: ["Earthfile"],
  dagger: ["dagger.json"],
  terraform: ["*.tf", "*.tfvars"],
  lein: ["project.clj", "profiles.clj"],
  stack: ["stack.yaml", "package.yaml", "*.cabal", "Setup.hs"],
  cabal: ["cabal.project*", "*.cabal", "Setup.hs"],
  dart: PUB,
  flutter: PUB,
  melos: ["melos.yaml", "**/pubspec.yaml"],
};

/** What makes a package manager run the scripts of other packages of the project. */
const WORKSPACES =
  /^(?:-ws?|--ws|--workspaces?(?:=.*)?|-w=?.+|-r|--recursive|-F|--filter(?:-prod)?(?:=.*)?|workspaces?|multi|foreach)$/u;
const PACKAGE_MANAGERS = ["npm", "pnpm", "yarn", "bun"];
/** Commands of git that run its hooks. */
const HOOKED = /^(?:commit|merge|rebase|pull|push|am|checkout|switch|cherry-pick|revert|worktree|clone)$/u;

/** Files and globs, for a command. */
export function conventionFiles(words: readonly string[]): string[] {
  const names = words.map(baseName);
  return [
    ...names.flatMap(filesOf),
    ...(names.some((name) => PACKAGE_MANAGERS.includes(name)) && words.some((word) => WORKSPACES.test(word))
      ? ALL_PACKAGES
      : []),
    ...(names.includes("git") && words.some((word) => HOOKED.test(word)) ? [".husky/*", ".githooks/*"] : []),
  ];
}

/** The settings of `x` are in `x.config.js` and `.xrc.js`, and are code. */
function filesOf(program: string): readonly string[] {
  const own = /^[a-z][\w-]*$/u.test(program) ? [`${program}.config.*`, `.${program}rc*`] : [];
  return [...(Object.hasOwn(FILES, program) ? (FILES[program] as readonly string[]) : []), ...own];
}

/** Programs that run a project's code or tests, wherever they are, and with which of their commands. */
const CODE_RUNNERS: Readonly<Record<string, RegExp | undefined>> = {
  ...Object.fromEntries(
    "pytest unittest nose2 jest vitest mocha ava jasmine karma cypress playwright rspec phpunit pest ctest"
      .split(" ")
      .map((name) => [name, undefined]),
  ),
  node: /^--test$/u,
  tsx: /^--test$/u,
  bun: /^test$/u,
  deno: /^(?:test|bench)$/u,
  cargo: /^(?:run|r|test|t|bench|nextest|miri)$/u,
  go: /^(?:run|test|generate|tool)$/u,
  swift: /^(?:run|test)$/u,
  dotnet: /^(?:run|test|watch)$/u,
  zig: /^(?:run|test|build)$/u,
  dart: /^(?:run|test)$/u,
  flutter: /^(?:run|test|drive)$/u,
  gradle: /^(?:.*:)?(?:run|test|check|build)$/iu,
  gradlew: /^(?:.*:)?(?:run|test|check|build)$/iu,
  mvn: /^(?:test|verify|package|install|integration-test|exec:.*)$/u,
  mvnw: /^(?:test|verify|package|install|integration-test|exec:.*)$/u,
  sbt: /test|run/iu,
  mix: /^(?:test|run)$/u,
  lein: /^(?:test|run)$/u,
  stack: /^(?:test|run|exec|build)$/u,
  cabal: /^(?:test|run|exec|bench)$/u,
  bazel: /^(?:test|run)$/u,
  rails: /^(?:test|runner|spec)/u,
};

/** The program of the command that runs code which no word names. */
export function codeRunner(words: readonly string[]): string | undefined {
  // Each name once: a command may repeat one any number of times.
  return [...new Set(words.map(baseName))].find((name) => {
    if (!Object.hasOwn(CODE_RUNNERS, name)) return false;
    const commands = CODE_RUNNERS[name];
    return commands === undefined || words.some((word) => commands.test(word));
  });
}

const READERS = names(
  "cd pushd popd ls cat head tail wc du stat file test [ echo printf true rm rmdir mkdir touch chmod diff grep egrep rg fd sort tree git jq",
);
/** They run their settings at most. */
const CHECKERS = names(
  "eslint prettier biome oxlint tsc stylelint ruff black isort flake8 mypy pyright pylint gofmt goimports rustfmt rubocop shellcheck shfmt clang-format ktlint dprint markdownlint taplo",
);
const COPIERS = names("cp mv ln rsync tar zip install cpio scp");
/** Commands of git that set what it runs later. */
const SETTING = /^(?:config|clone|worktree|init)$/u;

/** It reads, checks, formats or moves the files of a directory, and does not run them. */
export function onlyReads(program: string, words: readonly string[]): boolean {
  return CHECKERS.has(program) || runsNothing(program, words);
}

/** Not even settings or hooks of the project. */
export function runsNothing(program: string, words: readonly string[]): boolean {
  const isRunning = program === "git" && words.some((word) => SETTING.test(word) || HOOKED.test(word));
  return COPIERS.has(program) || (READERS.has(program) && !isRunning);
}

/** Its copies may be run where others do not look. */
export function onlyCopies(program: string): boolean {
  return COPIERS.has(program);
}

const WRAPPERS = names(
  "setsid stdbuf flock ionice chrt unshare nsenter strace ltrace script watch doas su runuser chroot taskset numactl prlimit systemd-run caffeinate entr ssh-agent dbus-run-session xvfb-run firejail bwrap parallel busybox valgrind unbuffer xargs",
);

/** The index of the word that runs the program another word names. */
export function runnerOfAnother(words: readonly string[]): number {
  const isFindRunning = words.some((word) => /^-(?:exec|ok)/u.test(word));
  return words.findIndex((word) => {
    const program = baseName(word);
    return WRAPPERS.has(program) || (program === "find" && isFindRunning);
  });
}

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

function names(text: string): Set<string> {
  return new Set(text.split(" "));
}
