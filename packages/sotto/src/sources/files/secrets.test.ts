import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startEffort } from "../../../../../test/support/effort.ts";
import { forms, looksSecret } from "./secrets.ts";

// Written down from what tools do, not from the rules in secrets.ts.
const SECRET = {
  environments: `
    .env .env.local .env.production .env.production.local .env.test .env.staging .env.vault .env-prod .env_backup .envrc
    .envrc.local prod.env config/app.env docker/web.env .ENV .Env.Local env.local env.production .dev.vars .prod.vars
    .dev.vars.staging .envs/.production/.django .envs/.local/.postgres`,
  "what was typed": `
    .bash_history .zsh_history .sh_history .ash_history .ksh_history .history .python_history .node_repl_history
    .psql_history .mysql_history .sqlite_history .rediscli_history .mongo_history .irb_history .pry_history .Rhistory
    .dbshell_history .scala_history .local/share/fish/fish_history ConsoleHost_history.txt .lesshst .viminfo`,
  "keys and key stores": `
    server.pem tls.key privkey.pem AuthKey_ABC123.p8 release.jks debug.keystore store.p12 cert.pfx android.pk8 code.snk
    passwords.kdbx old.kdb putty.ppk client.ovpn krb5.keytab login.keychain-db app.jceks signing.jwk age.agekey
    id_rsa id_dsa id_ecdsa id_ed25519 id_ed25519_work id_ecdsa_sk .ssh/id_github .ssh/work .ssh/config.d/key
    ssh_host_rsa_key ssh_host_ed25519_key .gnupg/secring.gpg .gnupg/private-keys-v1.d/AB.key secring.gpg
    etc/wireguard/wg0.conf private_key private-key.txt config/master.key deploy_key signing-key.bin`,
  clouds: `
    .aws/credentials .aws/config .aws/sso/cache/ab.json .aws/cli/cache/x.json .azure/accessTokens.json
    .azure/msal_token_cache.json .azure/msal_token_cache.bin .config/gcloud/credentials.db
    .config/gcloud/access_tokens.db .config/gcloud/application_default_credentials.json
    .config/gcloud/legacy_credentials/a/adc.json .oci/config .oci/oci_api_key.pem .bluemix/config.json
    .config/doctl/config.yaml .config/hcloud/cli.toml .config/linode-cli .config/scw/config.yaml .s3cfg .boto
    .passwd-s3fs rclone.conf .config/rclone/rclone.conf .mc/config.json .fly/config.yml .netlify/config.json
    .config/netlify/config.json .wrangler/config/default.toml .railway/config.json .supabase/access-token
    .config/configstore/firebase-tools.json .pulumi/credentials.json rootkey.csv alice_accessKeys.csv
    new_user_credentials.csv prod.publishsettings local.settings.json .edgerc .databrickscfg .saml2aws
    .cloudflared/cert.json .config/argocd/config`,
  deployments: `
    terraform.tfvars prod.auto.tfvars secrets.tfvars prod.tfvars.json terraform.tfstate terraform.tfstate.backup
    .terraformrc terraform.rc .terraform.d/credentials.tfrc.json .kube/config kubeconfig kubeconfig.yaml prod.kubeconfig
    k3s.yaml .docker/config.json .dockercfg .dockerconfigjson .config/containers/auth.json
    .config/helm/registry/config.json .vault-token .consul-token .nomad-token .vault_pass vault-password.txt
    vault_pass.txt secrets.yaml secrets.prod.yaml secret.json values.secret.yaml db-secret.yaml prod.secrets.json
    k8s/secret.yml .secrets .secrets/github run/secrets/db_password .streamlit/secrets.toml config/secrets.yml
    config/credentials.yml.enc appsettings.secrets.json ngrok.yml .config/ngrok/ngrok.yml`,
  "package managers": `
    .npmrc .pypirc .gem/credentials .cargo/credentials .cargo/credentials.toml .composer/auth.json auth.json
    .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .nuget/NuGet/NuGet.Config .ivy2/.credentials
    .sbt/.credentials .bundle/config .pip/pip.conf .config/pip/pip.conf .config/pypoetry/auth.toml .hex/hex.config
    .pub-cache/credentials.json .config/dart/pub-credentials.json`,
  "agents and models": `
    .codex/auth.json .gemini/oauth_creds.json .gemini/google_accounts.json .qwen/oauth_creds.json
    .claude/.credentials.json .claude.json .config/github-copilot/hosts.json .config/github-copilot/apps.json
    .local/share/opencode/auth.json .pi/agent/auth.json .continue/config.json .huggingface/token
    .cache/huggingface/token .kaggle/kaggle.json kaggle.json .config/wandb/settings .config/goose/secrets.yaml
    .modal.toml .ollama/id_ed25519`,
  "tokens and passwords": `
    token.json token.pickle token.txt .token access_token access-token.txt refresh_token.json oauth_token.json
    github-token .github_token gh_token.txt npm_token slack-token.txt bot_token.txt api_token.json auth_tokens.db
    token_cache.bin deploy.token client_secret.json client_secrets.json
    client_secret_1234-abcd.apps.googleusercontent.com.json service-account.json serviceAccountKey.json
    my-service-account-key.json app-firebase-adminsdk-x1.json gcp-key.json google_key.json keyfile.json apikey
    api_key.txt api-keys.yaml .apikey app.apikey password.txt passwords.csv .passwd .htpasswd db_password passphrase
    etc/shadow etc/gshadow etc/passwd .vnc/passwd credentials credentials.json aws-credentials.ini .credentials/x
    creds.json prod-creds.yaml db.creds recovery-codes.txt mnemonic.txt seed_phrase.txt`,
  "other tools": `
    .netrc _netrc .authinfo .git-credentials .config/git/credentials .config/gh/hosts.yml .config/glab-cli/config.yml
    .config/hub .pgpass pgpass.conf .pg_service.conf .my.cnf .mylogin.cnf .snowsql/config .dbt/profiles.yml
    .cassandra/credentials .sentryclirc .twilio-cli/config.json .config/stripe/config.toml .circleci/cli.yml
    .travis/config.yml .okta/okta.yaml .msmtprc .fetchmailrc .offlineimaprc .mbsyncrc .weechat/sec.conf
    .config/filezilla/sitemanager.xml .vscode/sftp.json sftp-config.json .ftpconfig WinSCP.ini
    .idea/dataSources.local.xml wp-config.php .Renviron .erlang.cookie jupyter_cookie_secret wallet.dat
    .config/solana/id.json .ethereum/keystore/UTC--2020 logins.json key4.db cookies.sqlite cookies.txt
    .local/share/keyrings/login.keyring .password-store/mail.gpg .subversion/auth/svn.simple/ab`,
  copies: `
    .env.bak .env~ #.env# #id_rsa# .id_rsa.swp .wp-config.php.swo .env.swn .env.old id_rsa.old server.key.orig
    .env.swp .npmrc.save .bash_history.1 secrets.yaml.bak terraform.tfvars.old`,
};

const OPEN = {
  "their forms, checked in": `
    .env.example .env.sample .env.template .env.dist .env.local.example .env.schema terraform.tfvars.example
    example.tfvars secrets.example.yaml secrets.yaml.example credentials.sample.json secrets.schema.json
    config/secrets.template.toml auth.json.example .npmrc.example`,
  "code and prose about them": `
    tokens.ts token.ts secret-santa.md secrets.ts secrets.py credentials.ts credentials.go credential-store.md
    CredentialsForm.tsx password.ts PasswordReset.vue password-reset.html reset_password.rb forgot-password.ejs
    api-key.tsx api_key.py api-keys.md access_token.rs refresh-token.service.ts auth.ts auth.py auth.tsx auth.controller.ts
    oauth.ts oauth_creds.rs jwt.ts session_token.java private_key.go encryption_key.test.ts secret_manager.tf
    vault.go vault_pass.py env.ts env.d.ts environment.ts environments.md dotenv.js history.ts history.md
    browser-history.tsx keyring.rs keystore.java wallet.ts cookies.ts cookies.test.js token-counter.js tokenizer.json
    tokenizer.py token_usage.md`,
  configuration: `
    package.json package-lock.json tsconfig.json biome.json vite.config.ts config.json config.toml config.yaml
    settings.json settings.xml pom.xml build.gradle gradle.properties NuGet.Config pip.conf requirements.txt
    pyproject.toml Cargo.toml Cargo.lock go.mod Gemfile Gemfile.lock composer.json .yarnrc.yml .gitignore
    .gitconfig .gitattributes .editorconfig .prettierrc .eslintrc.json .nvmrc .tool-versions .dockerignore
    Dockerfile docker-compose.yml .github/workflows/ci.yml .gitlab-ci.yml .circleci/config.yml .travis.yml hosts.yml
    main.tf variables.tf versions.tf .terraform.lock.hcl Chart.yaml values.yaml deployment.yaml external-secret.yaml
    sealed-secrets.yaml ingress.yml appsettings.json appsettings.Development.json database.yml application.properties
    .envoy.yaml envoy.yaml firebase.json google-services.json .sops.yaml tailwind.config.js apps.json hosts.json
    dbt_project.yml connections.toml default.toml cli.toml user.json`,
  "data and texts": `
    tokens.json design-tokens.json tokens.css tokens.json5 locales/en/auth.json src/i18n/de/auth.json
    translations/auth.json schemas/auth.json fixtures/auth.json README.md CHANGELOG.md HISTORY.md LICENSE
    SECURITY.md secret-garden.txt.md monkey.json keyboard.keys keymap.json keys.ts primary_keys.sql history.json
    data.csv users.csv accounts.json wallet.svg token.svg password.png key.svg passport.json passage.txt
    credits.json environment.yml notes.txt todo.md index.html shadow.css cookies.md Makefile main.c lib.rs app.rb
    secretary.txt tokenization.md`,
  "public halves": `
    id_rsa.pub id_ed25519.pub .ssh/config .ssh/known_hosts .ssh/known_hosts.old .ssh/authorized_keys .ssh/work.pub
    ssh_host_rsa_key.pub server.crt ca.cer chain.crt signature.asc release.sig`,
};

const listed = (table: Record<string, string>) =>
  Object.values(table).flatMap((names) => names.trim().split(/\s+/u));

describe("AC-48 what looks secret", () => {
  it.each(Object.entries(SECRET))("%s are refused", (_, names) => {
    const shown = names
      .trim()
      .split(/\s+/u)
      .filter((name) => !looksSecret(`/home/dev/${name}`));
    expect(shown).toEqual([]);
  });

  it.each(Object.entries(OPEN))("%s are shown", (_, names) => {
    const refused = names
      .trim()
      .split(/\s+/u)
      .filter((name) => looksSecret(`/home/dev/project/${name}`));
    expect(refused).toEqual([]);
  });

  it("is asked about many names", () => {
    expect(new Set(listed(SECRET)).size).toBeGreaterThan(250);
    expect(new Set(listed(OPEN)).size).toBeGreaterThan(150);
  });

  it("does not depend on case, nor on the length of a path", () => {
    for (const name of listed(SECRET)) expect([name, looksSecret(name.toUpperCase())]).toEqual([name, true]);
    const effort = startEffort();
    expect(looksSecret(`${"a/".repeat(16_000)}.env`)).toBe(true);
    expect(looksSecret(`/${"secret-".repeat(4000)}x.md`)).toBe(false);
    expect(effort()).toBeLessThan(1000);
  });
});

it("passes over no name that one of the expressions matches", () => {
  const words = [
    ..."._-#~0p",
    ..."env rc local dev vars prod".split(" "),
    ..."id_rsa ssh_host_ _key pub".split(" "),
  ];
  words.push(..."bash history histfile txt example template tfvars json bak orig swp swo tmp pem".split(" "));
  const names = fc
    .array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(""));
  const isPassedOver = fc.property(names, fc.constantFrom(...forms), (name, { signs, pattern }) => {
    expect(pattern.test(name) && !signs.some((sign) => name.includes(sign))).toBe(false);
  });
  fc.assert(isPassedOver, { numRuns: 3000 });
});
