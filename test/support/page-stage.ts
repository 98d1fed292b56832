import { join } from "node:path";
import { onTestFinished } from "vitest";
import { connectSides, syncProjects } from "../../src/app.ts";
import { systemClock } from "../../src/commands/open/clock.ts";
import { nextTimeOf } from "../../src/commands/open/next-run.ts";
import { viewConfig } from "../../src/commands/open/status-page.ts";
import { loadConfig } from "../../src/config/load.ts";
import { type HttpPart, type HttpServer, serveHttp } from "../../src/daemon/http.ts";
import { createCode } from "../../src/daemon/page/gate.ts";
import { pagePart } from "../../src/daemon/page/page.ts";
import { stateOf } from "../../src/daemon/page/seals.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite.ts";
import { redactor } from "../../src/log.ts";
import type { Post, PostId, ProjectId } from "../../src/model/post.ts";
import { type Stage as CommandStage, openStage } from "../commands/stage.ts";
import { createMemoryLog } from "../daemon/memory-log.ts";
import { createIssue } from "../ledger/samples.ts";

export interface PageSetup {
  /** How the program was started; default: `boardsync`. */
  readonly command?: string;
  readonly token?: string;
  readonly readToken?: string;
  /** Nobody is let in but who brings the token or a code. */
  readonly isShut?: true;
  /** Changes both sides before the run. */
  readonly before?: (stage: CommandStage) => unknown;
  /** Changes the state after the run. */
  readonly after?: (ledger: Ledger) => Promise<void>;
  readonly config?: (config: string) => string;
  /** How often projects that are late are to run, by their keys. */
  readonly late?: Readonly<Record<string, string>>;
  /** Orders can be given. Runs are started by nobody: the test looks at what was asked for. */
  readonly orders?: true | { readonly isOn: () => boolean };
  /** `http.url`. */
  readonly url?: string;
  /** Of its state. */
  readonly identity?: string;
  /** No run, and no state. */
  readonly isNew?: boolean;
  /** Secrets beside the board's key, as of each page. */
  readonly secrets?: readonly string[];
}

/** A status page over the story's two sides after one run, served until the test ends. */
export interface PageStage {
  readonly address: string;
  /** Of the browser that was let in; '' where none was. */
  readonly cookie: string;
  readonly stage: CommandStage;
  /** @param path - also one that is relative to the first page. */
  get(path: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Response>;
  /** The page's HTML; the test fails where it isn't there. */
  page(path: string): Promise<string>;
  /** Sends a form as a browser does, from a page of its own. */
  post(
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** The fields of the first form of a page whose button says this. */
  form(html: string, button: string): Readonly<Record<string, string>>;
  /** The projects whose runs were started. */
  readonly started: readonly string[];
  /** The state; only where there was a run. */
  readonly ledger: Ledger;
  /** Another browser that was let in. */
  admit(): Promise<string>;
  /** The codes that the state was asked for. */
  readonly taken: readonly string[];
  /** The address of another process on the same state. */
  beside(): Promise<string>;
  /** How far all clocks have gone on. */
  readonly clock: { now: number };
}

/** The code that opens it. */
const pageKey = "key-of-the-page";
export const { code } = createCode(pageKey);

/** Opens a page; the end of the test closes it. */
export async function openPage(setup: PageSetup = {}): Promise<PageStage> {
  const stage = await openStage();
  const file = stage.writeConfig("page.yaml", setup.config ?? ((config) => config));
  await setup.before?.(stage);
  if (setup.isNew !== true) await stage.run(["sync", "-c", file]);
  const { config } = loadConfig({
    file,
    environment: {},
    cwd: stage.folder,
    readText: () => (setup.config ?? ((text) => text))(`${stage.story.config}http: { port: 0 }\n`),
  });
  const ledger = setup.isNew === true ? undefined : openState(stage);
  if (ledger !== undefined) await setup.after?.(ledger);
  const clock = { now: 0 };
  const log = createMemoryLog();
  const machine = {
    clock: systemClock,
    random: Math.random,
    log,
    version: "1.2.3",
    environment: {},
  };
  const started: string[] = [];
  const taken: string[] = [];
  const part = (): HttpPart =>
    pagePart({
      gate: () => ({ token: setup.token, readToken: setup.readToken }),
      state: () => stateOf({ pageKey, identity: setup.identity ?? "stage" }, "a secret"),
      url: () => setup.url,
      takeCode: async (given) => {
        taken.push(given);
        return given === code;
      },
      clock: { now: () => Date.now() + clock.now },
      monotonic: () => clock.now,
      version: "1.2.3",
      command: setup.command ?? "boardsync",
      view: () =>
        viewConfig(config, syncProjects(config), { budgetOf: () => "" }, (key) => ({
          nextRunAt: nextTimeOf(config, key),
          late: setup.late?.[key],
        })),
      orders: {
        isOn: () => setup.orders === true || setup.orders?.isOn() === true,
        tracker: () => connectSides(config, secretsOf(stage), machine).tracker,
        start: (key) => started.push(key),
        log,
        signal: new AbortController().signal,
      },
      read: async (work) => (ledger === undefined ? undefined : await work(ledger)),
      redact: (text) => redactor([stage.story.board.key, ...(setup.secrets ?? [])])(text),
    });
  const server = await serve(part());
  const cookie = setup.isShut === true || setup.token !== undefined ? undefined : await admit(server.address);
  const get: PageStage["get"] = (path, headers = {}, method = "GET") =>
    fetch(path.startsWith("/") ? `${server.address}${path}` : new URL(path, `${server.address}/`), {
      headers: { ...(cookie && { cookie }), ...headers },
      method,
      redirect: "manual",
    });
  return {
    address: server.address,
    cookie: cookie ?? "",
    stage,
    get,
    started,
    taken,
    beside: async () => (await serve(part())).address,
    clock,
    get ledger() {
      if (ledger === undefined) throw new Error("There was no run.");
      return ledger;
    },
    admit: () => admit(server.address),
    post: (fields, headers = {}) =>
      fetch(`${server.address}/orders`, {
        method: "POST",
        body: new URLSearchParams(fields),
        headers: {
          ...(cookie && { cookie }),
          origin: server.address,
          "sec-fetch-site": "same-origin",
          ...headers,
        },
        redirect: "manual",
      }),
    form: readForm,
    async page(path) {
      const response = await get(path);
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.text();
    },
  };
}

function secretsOf({ story }: CommandStage): Parameters<typeof connectSides>[1] {
  return { boardApiKey: story.board.key, github: { kind: "token", token: story.github.token } };
}

/** The hidden fields of a form, as HTML has them. */
export function readForm(text: string, button: string): Readonly<Record<string, string>> {
  const form = [...text.matchAll(/<form[^>]*method="post"[\s\S]*?<\/form>/g)].find(([one]) =>
    new RegExp(`<button[^>]*>${button}`).test(one),
  );
  if (form === undefined) throw new Error(`No form says ${button}.`);
  return readFields(form[0]);
}

/** The hidden fields of this form. */
export function readFields(form: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
      name,
      readText(value),
    ]),
  );
}

/** Text as a browser reads it. */
export function readText(escaped: string): string {
  return escaped.replace(/&#(\d+);/g, (_, sign) => String.fromCharCode(Number(sign)));
}

/** Opens the page as `boardsync page` does; returns the cookie. */
async function admit(address: string): Promise<string> {
  const response = await fetch(`${address}/?code=${code}`, { redirect: "manual" });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

function openState(stage: CommandStage): Ledger {
  const ledger = openLedger(join(stage.folder, "state.db"), { now: Date.now(), version: "0" });
  onTestFinished(() => ledger.close());
  return ledger;
}

async function serve(part: HttpPart): Promise<HttpServer> {
  const server = await serveHttp({ host: "127.0.0.1", port: 0 }, createMemoryLog(), [part]);
  onTestFinished(() => server.close());
  return server;
}

/** A post that a listing has shown since, with whatever a board can send. */
export async function addPost(ledger: Ledger, id: string, values: Post["values"]): Promise<void> {
  const pull = await ledger.pulls.begin(projectOf(ledger), 1, Date.now());
  await ledger.commit([
    {
      kind: "store-posts",
      pull,
      posts: [{ id: id as PostId, values: { status: "planned", ...values } }],
      at: Date.now(),
    },
    { kind: "end-pull", pull, end: "incomplete", at: Date.now() },
  ]);
}

/** Posts w1, w2, … with issues, the first of which is 1001. */
export async function addLinks(ledger: Ledger, count: number): Promise<void> {
  const repositoryId = ledger.memory.repository("acme/app")?.repository.id ?? 0;
  for (let number = 1; number <= count; number++) {
    const id = `w${number}`;
    await addPost(ledger, id, { title: `Wish ${number}` });
    const issue = createIssue(1000 + number, { repositoryId });
    const link = { post: id as PostId, issue, origin: "opened" as const };
    await ledger.commit([{ kind: "link", project: projectOf(ledger), link, issue, content: undefined }]);
  }
}

/** Parks a post's change. */
export async function parkPost(ledger: Ledger, id: string, message: string): Promise<void> {
  const parked = {
    kind: "parked",
    cause: "refused",
    code: "board.rejected",
    message,
    since: Date.now(),
    action: { kind: "patch-post", signature: "s" },
  } as const;
  await ledger.commit([{ kind: "park", project: projectOf(ledger), post: id as PostId, parked }]);
}

function projectOf(ledger: Ledger): ProjectId {
  const project = ledger.memory.project("acme-app")?.id;
  if (project === undefined) throw new Error("There was no run.");
  return project;
}

/** A week of runs, every two hours, the later ones busier. */
export async function addHistory(ledger: Ledger): Promise<void> {
  const hourMs = 3_600_000;
  for (let hours = 168; hours > 0; hours -= 2) {
    const startedAt = Date.now() - hours * hourMs;
    const report = {
      created: hours % 6,
      issueWrites: hours % 5,
      postWrites: Math.floor((168 - hours) / 12),
      failed: hours % 50 === 0 ? 2 : 0,
      errors: [],
    };
    const finishedAt = startedAt + 400 + ((hours * 7919) % 3000);
    const run = (await ledger.runs.begin(startedAt)).run;
    const projects = [{ project: "acme-history", report }];
    await ledger.commit([{ kind: "finish-run", run, record: { finishedAt, result: "ok", projects } }]);
  }
}

/** Of two posts of the story: one that settles, and one that differs and stays so. */
export async function addOthers(ledger: Ledger): Promise<void> {
  const project = projectOf(ledger);
  const notes = [
    [
      "p1",
      {
        kind: "settling",
        cause: "settling",
        message: "status becomes `completed` at 10:00",
        since: Date.now(),
      },
    ],
    [
      "p2",
      {
        kind: "disagreement",
        cause: "differs",
        message: "status is `open`, the issue asks for `planned`",
        since: 1,
      },
    ],
  ] as const;
  for (const [post, note] of notes) {
    const standing = { kind: "linked", reason: "it has an issue" } as const;
    const record = { base: {}, standing, notes: [note], due: undefined };
    await ledger.commit([{ kind: "record-row", project, post: post as PostId, record }]);
  }
}

/** Something of each kind that waits, for posts of the story. */
export async function addWaits(ledger: Ledger): Promise<void> {
  const project = projectOf(ledger);
  const since = Date.now() - 3 * 3_600_000;
  const action = { kind: "patch-post", signature: "s1" } as const;
  await ledger.commit([
    {
      kind: "record-row",
      project,
      post: "p1" as PostId,
      record: {
        base: {},
        standing: { kind: "linked", reason: "it has an issue" },
        notes: [
          {
            kind: "held",
            cause: "guard",
            message: "26 status writes in an hour are more than `guard.statuses` (25)",
            since,
            action,
          },
        ],
        due: undefined,
      },
    },
    {
      kind: "park",
      project,
      post: "p2" as PostId,
      parked: {
        kind: "parked",
        cause: "refused",
        code: "board.rejected",
        message: "The board refuses the change of `status`: “in-progress is no status”. Nothing was changed.",
        since: since + 1,
        action: { kind: "patch-post", signature: "s2" },
      },
    },
    {
      kind: "record-row",
      project,
      post: "p4" as PostId,
      record: {
        base: {},
        standing: { kind: "linked", reason: "it has an issue" },
        notes: [
          {
            kind: "quarantined",
            cause: "quarantined",
            message: "its status has changed 4 times in 24 hours",
            since: since + 2,
          },
        ],
        due: undefined,
      },
    },
  ]);
}
