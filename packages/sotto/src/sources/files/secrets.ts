// Which files look as if they hold secrets: by name alone, so that nothing has to be read to know it.

/** Settings of deployments, as `.env.production` or `prod.env`. */
const ENVIRONMENT = /^\.env|\.env$/u;
/** What is checked in to show their form is no secret. */
const EXAMPLE = /\.(?:example|sample|template|dist|schema)$/u;

/** Keys and key stores. */
const KEY = /\.(?:pem|key|p12|pfx|jks|keystore|ppk|kdbx)$/u;
/** The names ssh-keygen gives; the public halves are made to be shown. */
const SSH_KEY = /^id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/u;
/** A key in there can have any name; these never are one. */
const SSH_DIRECTORY = /\/\.ssh\/(?!(?:config|known_hosts[^/]*|authorized_keys[^/]*|[^/]*\.pub)$)[^/]+$/u;

/** Where tools keep passwords and tokens in plain text. */
const TOOL_FILE =
  /^(?:[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.htpasswd|\.git-credentials|\.dockercfg|\.vault-token)$/u;
const TOOL_PATH = /\/(?:\.docker\/config\.json|\.kube\/config|\.config\/gh\/hosts\.yml|\.gnupg\/.+)$/u;

/** `credentials`, `application_default_credentials.json`, `secrets.yaml`, `service-account.json`. */
const NAMED =
  /^(?:.*[-_.])?credentials?(?:[-_.].*)?$|^\.?secrets?(?:\.[^.]+)?$|^service[-_]?account.*\.json$/u;
/** Code and prose *about* credentials: whoever works on `credentials.ts` must hear that it changed. */
const ABOUT =
  /\.(?:[cm]?[jt]sx?|pyi?|rb|go|rs|java|kts?|cs|fs|php|swift|scala|c|h|cc|cpp|hpp|mm?|exs?|erl|clj|lua|dart|vue|svelte|html?|s?css|mdx?|rst|adoc|proto|graphql|snap|tf)$/u;

/** What editors and careful people leave beside a file: its content is the same. */
const COPY = /(?<!^)(?:~|\.(?:bak|backup|old|orig|save|swp|swo|tmp))$/u;
/** No file system has longer names, and nobody shall make us look at one. */
const LONGEST_NAME = 1000;

export function looksSecret(path: string): boolean {
  // File systems differ in whether case matters; a secret is one in any case.
  const whole = `/${path}`.toLowerCase();
  const slash = whole.lastIndexOf("/") + 1;
  const name = whole.slice(slash).slice(-LONGEST_NAME).replace(COPY, "");
  if (EXAMPLE.test(name)) return false;
  if (ENVIRONMENT.test(name) || KEY.test(name) || SSH_KEY.test(name) || TOOL_FILE.test(name)) return true;
  if (NAMED.test(name) && !ABOUT.test(name)) return true;
  const place = whole.slice(0, slash) + name;
  return TOOL_PATH.test(place) || SSH_DIRECTORY.test(place);
}
