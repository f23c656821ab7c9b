// Which files look as if they contain secrets: by their path alone, without reading them.

/** Files in which tools keep passwords, tokens, keys or typed input in plain text. */
const NAMES = words(`
  .netrc _netrc .authinfo .git-credentials .npmrc .pypirc .pgpass pgpass.conf .pg_service.conf .my.cnf .mylogin.cnf
  .htpasswd .htdigest .dockercfg .dockerconfigjson .vault-token .consul-token .nomad-token .s3cfg .boto .passwd-s3fs
  .terraformrc terraform.rc rclone.conf .rclone.conf .databrickscfg .sentryclirc .edgerc .cdsapirc .ecmwfapirc
  .clasprc.json .modal.toml .msmtprc .fetchmailrc .offlineimaprc .mbsyncrc .renviron .renviron.site .erlang.cookie
  .claude.json .ftpconfig sftp-config.json .remote-sync.json winscp.ini recentservers.xml
  sitemanager.xml datasources.local.xml settings-security.xml local.settings.json wp-config.php kaggle.json kubeconfig
  .kubeconfig kubeconfig.yaml kubeconfig.yml k3s.yaml ngrok.yml wallet.dat keyfile.json secring.gpg
  .lesshst .viminfo .saml2aws logins.json key3.db key4.db signons.sqlite cookies.txt cookies.sqlite cookies
  jupyter_cookie_secret notebook_cookie_secret
`);

/** Ends of paths, where the name alone is not enough. */
const TAILS = words(`
  .git/config .docker/config.json .kube/config .config/gh/hosts.yml .config/glab-cli/config.yml .config/tea/config.yml .config/hub
  .config/git/credentials .config/containers/auth.json .config/helm/registry/config.json .codex/auth.json
  .gemini/google_accounts.json .config/github-copilot/hosts.json .config/github-copilot/apps.json .continue/config.json
  .config/openai/auth.json .local/share/opencode/auth.json .huggingface/token .cache/huggingface/token
  .cache/huggingface/stored_tokens .config/wandb/settings .streamlit/secrets.toml .dvc/config.local .m2/settings.xml
  .gradle/gradle.properties .nuget/nuget.config .nuget/nuget/nuget.config .config/nuget/nuget.config .bundle/config
  .pip/pip.conf .config/pip/pip.conf .config/pypoetry/auth.toml .config/uv/credentials.toml .hex/hex.config
  .config/yarn/.yarnrc .jfrog/jfrog-cli.conf .config/doctl/config.yaml .config/hcloud/cli.toml .config/linode-cli
  .config/scw/config.yaml .bluemix/config.json .fly/config.yml .config/netlify/config.json .netlify/config.json
  .wrangler/config/default.toml .config/.wrangler/config/default.toml .railway/config.json .supabase/access-token
  .heroku/credentials .mc/config.json .config/argocd/config .argocd/config .circleci/cli.yml .travis/config.yml
  .config/stripe/config.toml .twilio-cli/config.json .config/ngrok/ngrok.yml .ngrok2/ngrok.yml .okta/okta.yaml
  .snowsql/config .snowflake/connections.toml .snowflake/config.toml .dbt/profiles.yml .cassandra/cqlshrc
  .vscode/sftp.json .irssi/config .weechat/sec.conf .config/filezilla/sitemanager.xml .vnc/passwd .config/exercism/user.json
  .jupyter/jupyter_server_config.json .config/goose/secrets.yaml .config/rclone/rclone.conf .config/anaconda/config.yaml
  etc/wireguard/wg0.conf etc/kubernetes/admin.conf etc/shadow etc/gshadow etc/sudoers
`);

/** Directories in which every file is secret. */
const DIRECTORIES = words(`
  .gnupg .aws .azure .oci .envs .secrets .credentials .password-store .pki .cloudflared .config/gcloud .config/op
  .config/sops .config/configstore .config/solana .ethereum/keystore .electrum/wallets .local/share/keyrings
  .subversion/auth run/secrets etc/ssl/private library/keychains
`);
const DEEPEST = 4;

/** A key in `.ssh` can have any name; these are never keys. */
const SSH_PLAIN = /^(?:config|known_hosts.*|authorized_keys.*|.*\.pub)$/u;

/** All else is looked at by one of these, which takes longer to make than to look whether it can be one at all. */
interface Form {
  /** One of these is in every such name. */
  signs: readonly string[];
  pattern: RegExp;
}

/** Settings of deployments, such as `.env.production` or `prod.env`. */
const ENVIRONMENT: Form = {
  signs: ["env", ".vars"],
  pattern:
    /^\.env(?:rc)?(?:$|[^a-z])|\.env$|^env\.(?:local|prod(?:uction)?|stag(?:e|ing)|dev(?:elopment)?)$|^\.(?:dev|prod)\.vars(?:\.|$)/u,
};
/** Shell history, which often contains passwords. */
const HISTORY: Form = { signs: ["hist"], pattern: /^\..*(?:history|histfile)$|_history(?:\.txt)?$/u };
/** Extensions of keys, key stores, and files for tokens or the state of a deployment. */
const KINDS = new Set(
  "pem key p8 p12 pk8 pfx pkcs12 pvk snk jks jceks bks keystore ppk kdb kdbx psafe3 jwk agekey keytab keychain keychain-db ovpn tfvars tfstate kubeconfig publishsettings token secret secrets apikey api-key passwd password".split(
    " ",
  ),
);
/** Often made from an example that is checked in. */
const VARIABLES = ".tfvars.json";
/** The default names of ssh-keygen; public keys are meant to be shown. */
const SSH_KEY: Form = {
  signs: ["id_", "ssh_host_"],
  pattern: /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|ssh_host_.*_key)(?!.*\.pub$)/u,
};

/** One of these is in every such name: looking for them takes less time than compiling the expressions. */
const SPEAKING_WORDS = [
  "cred",
  "secret",
  "service",
  "adminsdk",
  "token",
  "key",
  "pass",
  "mnemonic",
  "seed",
  "recovery",
  "utc--",
];
/** Names that say what they contain, for any tool. */
const SPEAKING = [
  /^(?:.*[-_.])?cred(?:s|entials?)(?:[-_.].*)?$/u,
  /^\.?secrets?(?:\.[^.]+)?$/u,
  /^(?!.*(?:external|sealed)[-_]?secrets?)(?:.*[-_.])?secrets?(?:[-_.].*)?\.(?:ya?ml|json[c5]?|toml|ini|txt|cfg|conf|properties|xml|plist|csv|enc|db)$/u,
  /^(?:.*[-_.])?(?:service[-_]?account|adminsdk).*\.json$/u,
  /^\.?token(?:[-_]?cache)?(?:\.(?:json|txt|pickle|ya?ml|bin|db))?$/u,
  /^(?:.*[-_.])?(?:access|refresh|auth|oauth2?|api|bearer|github|gh|gitlab|npm|pypi|slack|bot|jwt|session|msal)[-_]?tokens?(?:[-_.].*)?$/u,
  /^(?:.*[-_.])?(?:api|access|secret|private|encryption|signing|master|deploy|root|gcp|gcloud|google|firebase|aws)[-_]?keys?(?:[-_.].*)?$/u,
  /^(?:.*[-_.])?(?:passwords?|passwd|passphrases?)(?:\.(?:txt|csv|tsv|ini|ya?ml|toml|db|enc))?$/u,
  /^\.?vault[-_]?pass(?:word)?(?:[-_.].*)?$/u,
  /^(?:mnemonic|seed[-_]?phrase|recovery[-_]?codes?)(?:\.txt)?$/u,
  /^utc--.*--[0-9a-f]{40}$/u,
];
/** Code, prose and images *about* secrets: an agent that works on `credentials.ts` must be notified of its changes. */
const ABOUT =
  /\.(?:[cm]?[jt]sx?|pyi?|rb|go|rs|java|kts?|cs|fs|php|swift|scala|c|h|cc|cpp|hpp|mm?|exs?|erl|clj|lua|dart|vue|svelte|astro|html?|hbs|ejs|pug|s?css|mdx?|rst|adoc|proto|graphql|snap|tf|svg|png|jpe?g|gif|webp|ico)$/u;

/** Composer and several agents keep tokens in an `auth.json`; in these folders it contains texts of log-in pages. */
const AUTH = "auth.json";
const TEXTS =
  /^(?:locales?|i18n|l10n|lang|langs|languages?|translations?|messages|strings|fixtures|__fixtures__|schemas?)$/u;

/** Examples that are checked in are not secret. */
const EXAMPLES = new Set(["example", "sample", "template", "tmpl", "dist", "schema"]);
const EXAMPLE_INSIDE: Form = {
  signs: [...EXAMPLES],
  pattern: /^(?:example|sample)[-_.]|[-_.](?:example|sample|template|tmpl|schema)\./u,
};

/** Copies by editors and users: the content is the same. */
const COPY: Form = {
  signs: [
    "~",
    ".bak",
    ".backup",
    ".old",
    ".orig",
    ".save",
    ".sw",
    ".tmp",
    ...Array.from("0123456789", (digit) => `.${digit}`),
  ],
  pattern: /(?<!^)(?:~|\.(?:bak|backup|old|orig|save|sw[a-p]|tmp|\d{1,2}))$/u,
};
const AUTOSAVE: Form = { signs: ["#"], pattern: /^#(.+)#$/u };
const SWAP: Form = { signs: [".sw"], pattern: /^\..+\.sw[a-p]$/u };
export const forms: readonly Form[] = [ENVIRONMENT, HISTORY, SSH_KEY, EXAMPLE_INSIDE, COPY, AUTOSAVE, SWAP];

/** No file system has longer names. */
const LONGEST_NAME = 1000;

/** Whether a file looks as if it contains secrets, by its absolute path: `.env`, keys, credentials. It is not read. */
export function looksSecret(path: string): boolean {
  // In any case: file systems differ in whether it matters.
  const parts = path.toLowerCase().split("/");
  const given = (parts.pop() ?? "").slice(-LONGEST_NAME);
  return namesOf(given).some((name) => isSecret(parts, name));
}

function isSecret(parts: readonly string[], name: string): boolean {
  const kind = extensionOf(name);
  if (EXAMPLES.has(kind)) return false;
  const isKind = KINDS.has(kind) || name.endsWith(VARIABLES);
  if (isKind && !(name.includes("tfvars") && isOf(EXAMPLE_INSIDE, name))) return true;
  if (isOf(SSH_KEY, name) || NAMES.has(name) || isOf(HISTORY, name)) return true;
  if (isInside(parts, name)) return true;
  if (isOf(EXAMPLE_INSIDE, name)) return false;
  if (isOf(ENVIRONMENT, name)) return true;
  if (name === AUTH) return !parts.some((part) => TEXTS.test(part));
  if (!SPEAKING_WORDS.some((word) => name.includes(word))) return false;
  return !ABOUT.test(name) && SPEAKING.some((form) => form.test(name));
}

function isOf({ signs, pattern }: Form, name: string): boolean {
  return signs.some((sign) => name.includes(sign)) && pattern.test(name);
}

/** Empty if it has none. */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot === -1 ? "" : name.slice(dot + 1);
}

/** Below the user's home directory: files, and directories with everything in them. */
export const secretPlaces: { files: readonly string[]; directories: readonly string[] } = {
  files: [...TAILS].filter((tail) => tail.startsWith(".")),
  directories: [...DIRECTORIES, ".ssh"].filter((directory) => directory.startsWith(".")),
};

function isInside(parts: readonly string[], name: string): boolean {
  if (parts.at(-1) === ".ssh" || parts.at(-2) === ".ssh") return !SSH_PLAIN.test(name);
  if (!parts.some(mayBegin)) return false;
  // The last directories with the name, and each directory above it.
  for (let length = 1; length < DEEPEST; length++)
    if (TAILS.has([...parts.slice(-length), name].join("/"))) return true;
  return parts.some(
    (part, at) =>
      mayBegin(part) && [1, 2, 3].some((length) => DIRECTORIES.has(parts.slice(at, at + length).join("/"))),
  );
}

/** All tails and directories begin with such a part. */
function mayBegin(part: string): boolean {
  return part.startsWith(".") || part === "etc" || part === "run" || part === "library";
}

/** The names of the file it may be a copy of: copies of copies, as editors number them, and Vim's with a dot in front. */
function namesOf(given: string): string[] {
  let name = isOf(AUTOSAVE, given) ? given.slice(1, -1) : given;
  for (let round = 0; round < 3 && isOf(COPY, name); round++) name = name.replace(COPY.pattern, "");
  return isOf(SWAP, given) ? [name, name.slice(1)] : [name];
}

function words(text: string): ReadonlySet<string> {
  const all = text.split("\n").flatMap((line) => line.trimStart().split(" "));
  return new Set(all.filter((word) => word !== ""));
}
