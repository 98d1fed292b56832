import { randomBytes } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openRegistration, syncProjects } from "../../app.ts";
import { type ConfigSource, loadConfig } from "../../config/load.ts";
import { nameFile } from "../../config/place.ts";
import { configSchema } from "../../config/schema.ts";
import { ConfigError, RemoteError } from "../../errors.ts";
import { createKnownSecrets, type Log } from "../../log.ts";
import { neededPermissions } from "../../story/check/permissions.ts";
import { systemClock } from "../open/clock.ts";
import { configSource } from "../open/config-source.ts";
import { chooseLogLevel, createTerminalLog, exitOf, redactTerminal } from "../open/session.ts";
import { failWith } from "../print/failure.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { oneLine, printLine } from "../print/text.ts";
import { type Door, openDoor, type Shown } from "./init-app-door.ts";
import { showForm, showMade, showRefusal } from "./init-app-pages.ts";
import { askGitHub, askWebhook, judgeGitHub, judgeWebhook } from "./init-ask.ts";

export interface AppOptions extends CommonOptions {
  /** The App's owner, where that is not the person. */
  readonly organization?: string;
  readonly webhookUrl?: string;
  /** The folder of the files. */
  readonly secrets?: string;
  readonly githubUrl?: string;
}

type Registration = ReturnType<typeof openRegistration>;
type App = Awaited<ReturnType<Registration["redeem"]>>;

/** How long a person may take in the browser. GitHub's code is good for an hour. */
const patienceMs = 600_000;

/** What the rules of a config that `init` writes may come to look at. */
const usualPermissions = { issues: "write", metadata: "read", pull_requests: "read" } as const;

/** `boardsync init --github-app`: makes a GitHub App in the browser, and stores its key where only this user can read it. */
export async function initApp(
  terminal: Terminal,
  options: AppOptions,
  waitMs: number = patienceMs,
): Promise<number> {
  const secrets = createKnownSecrets();
  const safe = redactTerminal(terminal, secrets.redact);
  try {
    const source = configSource(terminal, options);
    const { environment } = source;
    const organization = judgeOrganization(options.organization);
    const files = prepareFiles(terminal, options.secrets ?? "secrets");
    const config = existsSync(resolve(terminal.cwd, nameFile(source))) ? readConfig(source) : undefined;
    const url = await chooseGitHub(safe, options, config?.url);
    const webhookUrl = await chooseWebhook(safe, options);
    const log = createTerminalLog(safe, chooseLogLevel(safe, options, environment), secrets.redact);
    const machine = { clock: systemClock, random: Math.random, log, version: terminal.version, environment };
    const tracker = configSchema.shape.tracker.parse(url === undefined ? {} : { url });
    const registration = openRegistration(tracker, { ...machine, redact: secrets.redact });
    const wish = {
      name: nameOf(organization),
      organization,
      permissions: config?.permissions ?? usualPermissions,
      webhookUrl,
    };
    const keep = (app: App): void => {
      secrets.add(app.secrets);
      store(files, app);
    };
    const app = await registerInBrowser({ terminal: safe, log, registration, wish, keep, waitMs });
    if (app === undefined) return exitOf(terminal, exitCodes.ok);
    sayMade(safe, options, files, app);
    return exitCodes.ok;
  } catch (error) {
    return failWith(safe, options, error);
  }
}

interface Registering {
  readonly terminal: Terminal;
  readonly log: Log;
  readonly registration: Registration;
  readonly wish: Omit<Parameters<Registration["composeManifest"]>[0], "redirectUrl">;
  /** Stores what must not be lost. */
  keep(app: App): void;
  readonly waitMs: number;
}

/** undefined where a signal came first. */
async function registerInBrowser(registering: Registering): Promise<App | undefined> {
  const { terminal, log, registration, wish, keep, waitMs } = registering;
  const permissions = describe(wish.permissions);
  let made: App | undefined;
  let failure: unknown;
  let taking: Promise<Shown> | undefined;
  const fetchApp = async (code: string): Promise<Shown> => {
    try {
      made = await registration.redeem(code);
      keep(made);
      return { status: 200, page: showMade(made.name, made.installPage) };
    } catch (error) {
      failure = error;
      return { status: 502, page: showRefusal("That did not work", "The terminal says why.") };
    }
  };
  const door = await openDoor({
    log,
    showStart: ({ redirectUrl, state }) =>
      showForm(
        registration.formAddress(wish.organization, state),
        registration.composeManifest({ ...wish, redirectUrl }),
        permissions,
      ),
    take(code) {
      taking = fetchApp(code);
      return taking;
    },
  });
  try {
    sayWaiting(terminal, door, permissions, waitMs);
    await waitFor(door, terminal.signal, waitMs);
    // The code is good for one request: what is on its way is waited for, whatever ended the wait.
    await taking;
  } finally {
    await door.close();
  }
  if (failure !== undefined) throw withRemedy(failure, made);
  if (made !== undefined) return made;
  if (!terminal.signal.aborted) throw late();
  terminal.err.write("Nothing was stored.\n");
  return undefined;
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

/** Where the parts of an App are stored, by the variables that name these files. */
interface AppFiles {
  readonly GITHUB_APP_ID_FILE: string;
  readonly GITHUB_APP_PRIVATE_KEY_FILE: string;
  readonly GITHUB_WEBHOOK_SECRET_FILE: string;
  /** The folder that these names are relative to. */
  readonly cwd: string;
}

/** Whatever would keep the key from being stored is found before there is one. */
function prepareFiles({ cwd }: Terminal, folder: string): AppFiles {
  const files = {
    GITHUB_APP_ID_FILE: join(folder, "github-app-id"),
    GITHUB_APP_PRIVATE_KEY_FILE: join(folder, "github-app-private-key.pem"),
    GITHUB_WEBHOOK_SECRET_FILE: join(folder, "github-webhook-secret"),
  };
  const there = Object.values(files).filter((file) => existsSync(resolve(cwd, file)));
  if (there.length > 0) {
    throw new ConfigError([
      `${there.join(", ")} ${there.length === 1 ? "is" : "are"} there already, and a key is never replaced: move it away, or name another folder with \`--secrets DIR\`.`,
    ]);
  }
  try {
    mkdirSync(resolve(cwd, folder), { recursive: true, mode: 0o700 });
    accessSync(resolve(cwd, folder), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unwritable(folder, error);
  }
  return { ...files, cwd };
}

function unwritable(place: string, error: unknown): ConfigError {
  return new ConfigError([`${place} can't be written (${String(Object(error).code ?? "unknown")}).`]);
}

function store(files: AppFiles, { id, privateKey, webhookSecret }: App): void {
  write(files, "GITHUB_APP_ID_FILE", `${id}\n`);
  write(files, "GITHUB_APP_PRIVATE_KEY_FILE", privateKey);
  if (webhookSecret !== undefined) write(files, "GITHUB_WEBHOOK_SECRET_FILE", `${webhookSecret}\n`);
}

function write(files: AppFiles, name: Exclude<keyof AppFiles, "cwd">, text: string): void {
  try {
    writeFileSync(resolve(files.cwd, files[name]), text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw unwritable(files[name], error);
  }
}

/** Ends when the App was fetched, at a signal, or when nobody came. */
async function waitFor({ taken }: Door, signal: AbortSignal, waitMs: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, waitMs);
  const stop = (): void => over.resolve();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    await Promise.race([taken, over.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function late(): RemoteError {
  const message =
    "Nobody came back from GitHub in time, so nothing was stored. If the App was made there all the same, delete it (Settings → Developer settings → GitHub Apps), and begin again.";
  return new RemoteError("tracker", "aborted", message, { detail: "told" });
}

/** The App may be there without its key being here. */
function withRemedy(failure: unknown, made: App | undefined): unknown {
  if (made !== undefined && failure instanceof ConfigError) {
    const message = `The App is made (${made.page}, id ${made.id}): generate a private key in its settings and store it yourself, or delete the App and begin again.`;
    return new ConfigError([...failure.problems, message]);
  }
  if (!(failure instanceof RemoteError)) return failure;
  const message = `${failure.message} If the App was made, delete it (Settings → Developer settings → GitHub Apps), and begin again.`;
  return new RemoteError("tracker", failure.fault, message, { cause: failure, detail: "told" });
}

function describe(permissions: Readonly<Record<string, string>>): string {
  return Object.entries(permissions)
    .map(([name, access]) => `${name.replaceAll("_", " ")} ${access}`)
    .join(", ");
}

/** On stderr, so that stdout stays the answer alone. */
function sayWaiting({ err }: Terminal, { address }: Door, permissions: string, waitMs: number): void {
  const { port } = new URL(address);
  printLine(err, "", `Open this address in a browser on this machine, within ${waitMs / 60_000} minutes:`);
  err.write(`${address}\n`);
  printLine(err, "", `The App may: ${permissions}. GitHub asks you before it makes it.`);
  const elsewhere = `From a browser on another machine: run \`ssh -L ${port}:127.0.0.1:${port} HOST\` there first, with this machine as HOST.`;
  printLine(err, "", elsewhere);
}

function sayMade({ out }: Terminal, options: AppOptions, files: AppFiles, app: App): void {
  const { cwd: _, GITHUB_WEBHOOK_SECRET_FILE: hook, ...always } = files;
  const named = { ...always, ...(app.webhookSecret !== undefined && { GITHUB_WEBHOOK_SECRET_FILE: hook }) };
  const { id, name, page, installPage } = app;
  if (options.json === true) printJson(out, { app: { id, name, page, installPage }, environment: named });
  if (options.json === true || options.quiet === true) return;
  printLine(out, "✓ ", oneLine(`The App ${name} is made: ${page}`));
  printLine(out, "✓ ", `Written, for this user alone: ${Object.values(named).join(", ")}`);
  if (app.webhookSecret === undefined) printLine(out, "! ", "GitHub has made no secret for webhooks.");
  printLine(out, "→ ", "Install it on the repositories that the config names:");
  out.write(`${installPage}\n`);
  printLine(
    out,
    "→ ",
    "Put these lines into the environment, or into .env in this folder, and take GITHUB_TOKEN out:",
  );
  out.write(
    `${Object.entries(named)
      .map(([variable, file]) => `${variable}=${file}\n`)
      .join("")}`,
  );
  printLine(out, "→ ", "Then: `boardsync init`, or `boardsync check` where there is a config.");
}
