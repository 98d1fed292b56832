import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { addressOfNewApp, syncProjects } from "../../app.ts";
import { type ConfigSource, loadConfig } from "../../config/load.ts";
import { nameFile } from "../../config/place.ts";
import { configSchema } from "../../config/schema.ts";
import { ConfigError } from "../../errors.ts";
import { neededPermissions } from "../../story/check/permissions.ts";
import { configSource } from "../open/config-source.ts";
import { exitOf } from "../open/session.ts";
import { failWith } from "../print/failure.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";
import { askGitHub, askWebhook, judgeGitHub, judgeWebhook } from "./init-ask.ts";

export interface AppOptions extends CommonOptions {
  /** The App's owner, where that is not the person. */
  readonly organization?: string;
  readonly webhookUrl?: string;
  readonly githubUrl?: string;
}

/** What the rules of a config that `init` writes may come to look at. */
const usualPermissions = { issues: "write", metadata: "read", pull_requests: "read" } as const;

/** `boardsync init --github-app`: GitHub's form for a new App, filled in, and what to do with what it gives. */
export async function initApp(terminal: Terminal, options: AppOptions): Promise<number> {
  try {
    const organization = judgeOrganization(options.organization);
    const source = configSource(terminal, options);
    const config = existsSync(resolve(terminal.cwd, nameFile(source))) ? readConfig(source) : undefined;
    const url = await chooseGitHub(terminal, options, config?.url);
    const webhookUrl = await chooseWebhook(terminal, options);
    const permissions = config?.permissions ?? usualPermissions;
    const name = nameOf(organization);
    const tracker = configSchema.shape.tracker.parse(url === undefined ? {} : { url });
    const address = addressOfNewApp(tracker, { name, organization, permissions, webhookUrl });
    if (options.json === true) printJson(terminal.out, { address, permissions, webhook: webhookUrl ?? null });
    else if (options.quiet === true) terminal.out.write(`${address}\n`);
    else explain(terminal, address, permissions, webhookUrl);
    return exitOf(terminal, exitCodes.ok);
  } catch (error) {
    return failWith(terminal, options, error);
  }
}

function judgeOrganization(name: string | undefined): string | undefined {
  if (name === undefined || /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(name)) return name;
  throw new ConfigError([`\`--organization ${name}\`: write the organization's login, as in acme`]);
}

/** Names of Apps are taken once on the whole server. */
function nameOf(organization: string | undefined): string {
  return `boardsync-${organization ?? randomBytes(3).toString("hex")}`.slice(0, 34);
}

function readConfig(source: ConfigSource) {
  const { config } = loadConfig(source);
  return { url: config.tracker.url, permissions: neededPermissions(syncProjects(config)) };
}

async function chooseGitHub(
  terminal: Terminal,
  { githubUrl }: AppOptions,
  configured: string | undefined,
): Promise<string | undefined> {
  if (githubUrl !== undefined) return judgeGitHub(githubUrl);
  if (configured !== undefined || terminal.ask === undefined) return configured;
  return askGitHub(terminal);
}

async function chooseWebhook(terminal: Terminal, { webhookUrl }: AppOptions): Promise<string | undefined> {
  if (webhookUrl !== undefined) return judgeWebhook(webhookUrl);
  return terminal.ask === undefined ? undefined : askWebhook(terminal);
}

function explain(
  { out }: Terminal,
  address: string,
  permissions: Readonly<Record<string, string>>,
  webhookUrl: string | undefined,
): void {
  const allowed = Object.entries(permissions).map(
    ([name, access]) => `${name.replaceAll("_", " ")} ${access}`,
  );
  printLine(
    out,
    "1. ",
    "Open this address in a browser. GitHub's form is filled in; it asks before it makes the App:",
  );
  out.write(`${address}\n`);
  printLine(out, "   ", `The App may: ${allowed.join(", ")}.`);
  if (webhookUrl !== undefined)
    printLine(
      out,
      "   ",
      "As webhook secret type a long random word, such as `openssl rand -hex 32` prints.",
    );
  printLine(
    out,
    "2. ",
    "On the App's page: note its App ID, and choose “Generate a private key”. Move the file that the browser gets to secrets/github-app.pem, and let nobody else read it: `chmod 600 secrets/github-app.pem`.",
  );
  printLine(out, "3. ", "Choose “Install App”, and the repositories that the config names.");
  printLine(
    out,
    "4. ",
    "Put these lines into the environment, or into .env in this folder, and take GITHUB_TOKEN out:",
  );
  out.write("GITHUB_APP_ID=the number\nGITHUB_APP_PRIVATE_KEY_FILE=secrets/github-app.pem\n");
  if (webhookUrl !== undefined) out.write("GITHUB_WEBHOOK_SECRET=the random word\n");
  printLine(out, "5. ", "Then: `boardsync init`, or `boardsync check` where there is a config.");
}
