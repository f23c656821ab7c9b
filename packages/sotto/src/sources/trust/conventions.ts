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

/** By the name of a program, or of an option as in `node --run`. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  npm: [...PACKAGE, ".npmrc"],
  pnpm: [...PACKAGE, ".npmrc", ".pnpmfile.cjs", "pnpm-workspace.yaml"],
  yarn: [...PACKAGE, ".yarnrc", ".yarnrc.yml"],
  bun: [...PACKAGE, "bunfig.toml"],
  "--run": PACKAGE,
  deno: [...PACKAGE, "deno.json*"],
  turbo: [...PACKAGE, "turbo.json*"],
  nx: [...PACKAGE, "nx.json", "project.json"],
  lerna: [...PACKAGE, "lerna.json"],
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
  gradle: GRADLE,
  gradlew: [...GRADLE, "gradle/wrapper/*"],
  mvn: ["pom.xml", ".mvn/*"],
  mvnw: ["pom.xml", ".mvn/*", ".mvn/wrapper/*"],
  ant: ["build.xml"],
  sbt: ["build.sbt", "project/*"],
  mix: ["mix.exs"],
  cmake: ["CMakeLists.txt", "CMakePresets.json"],
  ninja: ["build.ninja"],
  meson: ["meson.build"],
  scons: ["SConstruct"],
  bazel: ["BUILD*", "WORKSPACE*", "MODULE.bazel", ".bazelrc"],
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
  mise: ["mise.toml", ".mise.toml", "mise.local.toml"],
  direnv: [".envrc"],
};

/** Files and globs. The settings of `x` are in `x.config.js` and `.xrc.js`, and are code. */
export function conventionFiles(program: string): readonly string[] {
  const own = /^[a-z][\w-]*$/u.test(program) ? [`${program}.config.*`, `.${program}rc*`] : [];
  return [...(Object.hasOwn(FILES, program) ? (FILES[program] as readonly string[]) : []), ...own];
}

const READERS = new Set(
  "cd pushd popd ls cat head tail wc du stat file test [ echo printf true rm rmdir mkdir touch cp mv ln chmod diff grep egrep rg fd sort tree tar zip rsync git jq eslint prettier biome oxlint tsc stylelint ruff black isort flake8 mypy pyright pylint gofmt goimports rustfmt rubocop shellcheck shfmt clang-format ktlint dprint markdownlint taplo".split(
    " ",
  ),
);

/** It reads, checks, formats or moves the files of a directory, and does not run them. */
export function onlyReads(program: string): boolean {
  return READERS.has(program);
}
