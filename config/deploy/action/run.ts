/**
 * The step of the action that runs boardsync: the order that a person gave, one `sync`, and then what came of it as outputs, a
 * summary of the job and an annotation. The runner's files and the secrets come by the environment, and nothing else does.
 */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { escapeCell, escapeData, orderOf, parseOrder } from "./words.ts";

const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));
/** So many things that wait are listed. */
const mostListed = 20;
/** What a run of 100,000 posts prints is a small part of this. */
const maxOutputBytes = 256 * 1024 * 1024;

/** Each count of a report by the word that `boardsync sync` shows. */
const counts = {
  posts: "posts",
  issues: "issues",
  opened: "created",
  edited: "issueWrites",
  patched: "postWrites",
  told: "statusWrites",
  waiting: "waiting",
  held: "held",
  parked: "parked",
  quarantined: "quarantined",
  failed: "failed",
};

/** What needs a person, by the order that ends it. */
const needWords: Readonly<Record<string, string>> = {
  held: "to approve",
  parked: "to retry",
  quarantined: "to release",
};

interface ProjectReport {
  readonly project: string;
  readonly repo: string;
  readonly [count: string]: unknown;
}

/** What `sync --json` prints: a run, or why there was none. */
interface RunDocument {
  readonly run?: number;
  readonly result?: string;
  readonly projects?: readonly ProjectReport[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** The part of `status --json` that is told here. */
interface ProjectStatus {
  readonly project: string;
  readonly hold: string | null;
  readonly held: number;
  readonly parked: number;
  readonly quarantined: number;
  readonly waiting: readonly {
    readonly post: string;
    readonly kind: string;
    readonly message: string;
    readonly title: string | null;
    readonly planned: { readonly notifies: number | null } | null;
    readonly command: string | null;
  }[];
}

process.exitCode = act();

function act(): number {
  const failOn = process.env["INPUT_FAIL_ON"];
  if (failOn !== "failed" && failOn !== "held") return refuse("`fail-on` is either `failed` or `held`.");
  const order = process.env["INPUT_ORDER"]?.trim() ?? "";
  if (order !== "") {
    let words: readonly string[];
    try {
      words = parseOrder(order);
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error));
    }
    const { code } = boardsync(words, "inherit");
    if (code !== 0) {
      setOutput("exit-code", String(code));
      // An undo is a run of its own, and may have been done in part.
      const what = code === 1 || code === 4 ? "not carried out whole" : "not carried out";
      return fail(code, `The order was ${what}: the log says why. No other run was made.`);
    }
  }

  const names = (process.env["INPUT_PROJECTS"] ?? "").split(/[\s,]+/).filter((name) => name !== "");
  const { code, out } = boardsync(
    ["sync", "--json", ...names.flatMap((name) => ["--project", name])],
    "pipe",
  );
  const report = join(variable("RUNNER_TEMP"), "boardsync-report.json");
  writeFileSync(report, out, { mode: 0o600 });
  const document: RunDocument = out === "" ? {} : JSON.parse(out);
  const waiting = code === 4 ? readWaiting() : [];
  setOutput("exit-code", String(code));
  setOutput("summary", JSON.stringify(sumUp(document)));
  setOutput("report", report);
  appendFileSync(
    variable("GITHUB_STEP_SUMMARY"),
    [...describe(document, code), ...describeWaiting(waiting)].join("\n"),
  );

  if (code === 4) {
    annotate(failOn === "held" ? "error" : "warning", sayWaiting(waiting));
    return failOn === "held" ? 4 : 0;
  }
  if (code !== 0) annotate("error", sayFailed(document, code));
  return code;
}

function fail(code: number, sentence: string): number {
  annotate("error", sentence);
  return code;
}

/** Nothing was started. */
function refuse(sentence: string): number {
  setOutput("exit-code", "2");
  return fail(2, sentence);
}

/**
 * Runs one command of boardsync. What it says may hold words of strangers, so the runner takes none of it for a command of ours
 * until the line with a word that nobody can guess.
 *
 * @returns what it printed to stdout, where that is not the log's.
 */
function boardsync(
  args: readonly string[],
  stdout: "pipe" | "inherit",
): { readonly code: number; readonly out: string } {
  const token = randomUUID();
  say(`::stop-commands::${token}`);
  const {
    status,
    signal,
    stdout: out,
  } = spawnSync(process.execPath, [main, ...args], {
    env: Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== "")),
    stdio: ["ignore", stdout, "inherit"],
    encoding: "utf8",
    maxBuffer: maxOutputBytes,
  });
  say(`::${token}::`);
  return { code: status ?? (signal === null ? 1 : 143), out: out ?? "" };
}

function readWaiting(): readonly ProjectStatus[] {
  const { code, out } = boardsync(["status", "--json"], "pipe");
  if (code !== 0) return [];
  const { projects }: { readonly projects: readonly ProjectStatus[] } = JSON.parse(out);
  return projects.filter((one) => one.held + one.parked + one.quarantined > 0 || one.hold !== null);
}

function sumUp({ run, result, projects = [], error }: RunDocument): object {
  const sums = Object.entries(counts).map(([word, field]) => [
    word,
    projects.reduce((sum, one) => sum + Number(one[field]), 0),
  ]);
  return {
    run: run ?? null,
    result: result ?? "none",
    ...Object.fromEntries(sums),
    ...(error && { error: error.code }),
  };
}

function describe({ run, projects, error }: RunDocument, code: number): readonly string[] {
  if (projects === undefined)
    return ["### boardsync: no run", "", escapeCell(error?.message ?? `It ended with ${code}.`), ""];
  const words = Object.keys(counts);
  return [
    `### boardsync: run ${run}, ${{ 0: "in step", 1: "partly failed", 3: "failed", 4: "waits for a person" }[code] ?? `exit ${code}`}`,
    "",
    row(["project", "repository", ...words]),
    row(["---", "---", ...words.map(() => "--:")]),
    ...projects.map((one) =>
      row([
        escapeCell(one.project),
        escapeCell(one.repo),
        ...Object.values(counts).map((field) => String(one[field])),
      ]),
    ),
    "",
    "opened: new issues. patched: posts written to. told: posts whose voters were notified of a new status.",
    "",
  ];
}

function describeWaiting(projects: readonly ProjectStatus[]): readonly string[] {
  const lines = projects.flatMap(({ project, hold, waiting }) => [
    ...(hold === null ? [] : [[project, "", "needs you", hold, "", `approve ${project}`]]),
    ...waiting.flatMap(({ post, title, kind, message, planned, command }) =>
      command === null || kind === "paused"
        ? []
        : [
            [
              project,
              title ?? post,
              needWords[kind] ?? kind,
              message,
              String(planned?.notifies ?? "?"),
              orderOf(command),
            ],
          ],
    ),
  ]);
  if (lines.length === 0) return [];
  const more = lines.length - mostListed;
  return [
    "Run this workflow by hand, with one of the orders, to decide:",
    "",
    row(["project", "post", "is", "because", "voters to notify", "order"]),
    row(["---", "---", "---", "---", "--:", "---"]),
    ...lines.slice(0, mostListed).map((cells) => row(cells.map(escapeCell))),
    "",
    ...(more > 0 ? [`${more} more wait.`, ""] : []),
  ];
}

/** What waits, and the orders that end it: one for all that is to approve of a project, the first one of what else there is. */
function sayWaiting(projects: readonly ProjectStatus[]): string {
  const sentences = projects.map(({ project, hold, held, parked, quarantined, waiting }) => {
    const what = Object.entries({ held, parked, quarantined }).flatMap(([kind, number]) =>
      number > 0 ? [`${number} ${needWords[kind]}`] : [],
    );
    const named = (kind: string): readonly string[] =>
      waiting
        .flatMap((one) => (one.kind === kind && one.command !== null ? [orderOf(one.command)] : []))
        .slice(0, 1);
    const orders = [
      ...(held > 0 || hold !== null ? [`approve ${project}`] : []),
      ...named("parked"),
      ...named("quarantined"),
    ];
    const ways = orders.map((order) => `\`${order}\``).join(" or ");
    return `${project} needs you: ${what.join(", ") || hold}. To let it go, run this workflow by hand with the order ${ways}.`;
  });
  return sentences.join("\n") || "Something waits for a person: the log says what.";
}

function sayFailed({ error, projects = [] }: RunDocument, code: number): string {
  const first = projects.flatMap(({ errors }) => (Array.isArray(errors) ? errors : []))[0];
  return error?.message ?? first?.message ?? `boardsync ended with ${code}: the log says why.`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function annotate(kind: "warning" | "error", text: string): void {
  say(`::${kind} title=boardsync::${escapeData(text)}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The value of an output is one line: JSON and names of files have no other. */
function setOutput(name: string, value: string): void {
  appendFileSync(variable("GITHUB_OUTPUT"), `${name}=${value}\n`);
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`The runner has set no ${name}.`);
  return value;
}
