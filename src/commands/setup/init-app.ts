import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { addressOfNewApp, syncProjects } from "../../app.ts";
import { loadConfig } from "../../config/load.ts";
import { nameFile } from "../../config/place.ts";
import { configSchema } from "../../config/schema.ts";
import { ConfigError } from "../../errors.ts";
import { neededPermissions } from "../../story/check/tracker.ts";
import { configSource } from "../open/config-source.ts";
import { exitOf } from "../open/session.ts";
import { type Called, type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printJson, printLine } from "../print/text.ts";
import { judgeGitHub, judgeWebhook } from "./init-ask.ts";

export interface AppOptions extends CommonOptions {
  /** The App's owner, where that is not the person. */
  readonly organization?: string;
  readonly webhookUrl?: string;
  /** Of a GitHub Enterprise Server, or of its API. */
  readonly githubUrl?: string;
}

/** What the rules of a config that `init` writes may come to look at. */
const usualPermissions = { issues: "write", metadata: "read", pull_requests: "read" } as const;

/** `boardsync init --github-app`: GitHub's form for a new App, filled in, and what to do with what it gives. */
export async function initApp({ terminal, options }: Called<AppOptions>): Promise<number> {
  const { organization, githubUrl } = options;
  if (organization !== undefined && !/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(organization)) {
    const message = `\`--organization ${organization}\`: write the organization's login, as in acme`;
    throw new ConfigError([message]);
  }
  const webhookUrl = options.webhookUrl === undefined ? undefined : judgeWebhook(options.webhookUrl);
  const source = configSource(terminal, options);
  const isThere = existsSync(resolve(terminal.cwd, nameFile(source)));
  const config = isThere ? loadConfig(source).config : undefined;
  const url = githubUrl === undefined ? config?.tracker.url : judgeGitHub(githubUrl);
  const permissions = config ? neededPermissions(syncProjects(config)) : usualPermissions;
  // Names of Apps are taken once on the whole server.
  const name = `boardsync-${organization ?? randomBytes(3).toString("hex")}`.slice(0, 34);
  const tracker = configSchema.shape.tracker.parse(url === undefined ? {} : { url });
  const address = addressOfNewApp(tracker, { name, organization, permissions, webhookUrl });
  if (options.json === true) printJson(terminal.out, { address, permissions, webhook: webhookUrl ?? null });
  else if (options.quiet === true) terminal.out.write(`${address}\n`);
  else explain(terminal, address, permissions, webhookUrl !== undefined);
  return exitOf(terminal, exitCodes.ok);
}

function explain(
  { out }: Terminal,
  address: string,
  permissions: Readonly<Record<string, string>>,
  hasWebhook: boolean,
): void {
  const allowed = Object.entries(permissions).map(
    ([name, access]) => `${name.replaceAll("_", " ")} ${access}`,
  );
  const secret = "As webhook secret type a long random word, such as `openssl rand -hex 32` prints.";
  const steps: readonly (readonly [text: string, ...toCopy: readonly string[]])[] = [
    ["Open this address in a browser. GitHub's form is filled in; it asks before it makes the App:", address],
    [`The App may: ${allowed.join(", ")}.${hasWebhook ? ` ${secret}` : ""}`],
    [
      "On the App's page: note its App ID, and choose “Generate a private key”. Move the file that the browser gets to secrets/github-app.pem, and let nobody else read it: `chmod 600 secrets/github-app.pem`.",
    ],
    ["Choose “Install App”, and the repositories that the config names."],
    [
      "Put these lines into the environment, or into .env in this folder, and take GITHUB_TOKEN out:",
      "GITHUB_APP_ID=the number",
      "GITHUB_APP_PRIVATE_KEY_FILE=secrets/github-app.pem",
      ...(hasWebhook ? ["GITHUB_WEBHOOK_SECRET=the random word"] : []),
    ],
    ["Then: `boardsync init`, or `boardsync check` where there is a config."],
  ];
  for (const [index, [text, ...toCopy]] of steps.entries()) {
    printLine(out, `${index + 1}. `, text);
    for (const line of toCopy) out.write(`${line}\n`);
  }
}
