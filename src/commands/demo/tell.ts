import { type Scene, type Story, scenes } from "../../sandbox/story.ts";
import type { RunReport } from "../../sync/ground/reports.ts";
import type { runProjects } from "../../sync/run.ts";
import type { Timed } from "../../sync/tell/times.ts";
import type { Output } from "../print/terminal.ts";
import { count, paint, printParagraph } from "../print/text.ts";
import { printPlan } from "../reports/plan.ts";
import { printRun, runLegend } from "../reports/run.ts";
import { type Change, findChanges, printChanges, printIssues, printPosts, takeSnapshot } from "./view.ts";

const dayMs = 86_400_000;

/** Runs all projects of the story once. */
export type Runner = (kind: "plan" | "sync") => ReturnType<typeof runProjects>;

/** What the story is told with. */
export interface Telling extends Timed {
  readonly out: Output;
  readonly signal: AbortSignal;
  readonly story: Story;
  readonly run: Runner;
  /** Lets time pass. */
  skip(ms: number): void;
}

/** What `demo --json` prints: what happened, and who heard of it. */
export interface Told {
  readonly runs: readonly RunReport[];
  /** What each run of the days changed on either side. */
  readonly days: readonly {
    readonly title: string;
    readonly run: number;
    readonly changes: readonly Change[];
  }[];
  readonly notifications: Story["board"]["notifications"];
}

/** Tells the story, run by run. Every number in it is counted on the two sides, none is written down. */
export async function tellStory(telling: Telling): Promise<Told> {
  const { story, signal } = telling;
  const runs: RunReport[] = [];
  const days: Told["days"][number][] = [];
  const chapters: readonly (() => void | Promise<void>)[] = [
    () => introduce(telling),
    () => plan(telling),
    async () => void runs.push(await openIssues(telling)),
    () => showIssues(telling),
    async () => void runs.push(await syncAgain(telling)),
    ...scenes.map((scene, index) => async () => {
      const { report, changes } = await playDay(telling, scene, index + 2);
      runs.push(report);
      days.push({ title: scene.title, run: report.run, changes });
    }),
    () => conclude(telling),
  ];
  for (const chapter of chapters) {
    // A run that was stopped has not done what the next chapter tells of.
    if (signal.aborted) break;
    await chapter();
  }
  return { runs, days, notifications: story.board.notifications };
}

function introduce({ out, story }: Telling): void {
  heading(out, "A feedback board and a GitHub, both on this machine");
  out.write(
    `Board:  ${story.board.url}\nGitHub: ${story.github.url}\n\nWhat the customers of Acme wish for:\n\n`,
  );
  printPosts(out, story.board);
  out.write("\n");
  printParagraph(
    out,
    "Planned posts are to become issues, and what becomes of these goes back to the posts:",
  );
  out.write(`\n${indent(story.config)}`);
}

async function plan(telling: Telling): Promise<void> {
  heading(telling.out, "Day 1. $ boardsync plan");
  const made = await telling.run("plan");
  printPlan(telling, {}, made.plan, made.report, undefined);
}

async function openIssues(telling: Telling): Promise<RunReport> {
  const { out } = telling;
  heading(out, "Day 1. $ boardsync sync");
  const { report, projectsAfter } = await telling.run("sync");
  printRun(telling, {}, report, projectsAfter);
  const legend = runLegend.map(([title, meaning]) => `${title}: ${meaning}`).join("; ");
  out.write("\n");
  printParagraph(out, `(${legend}.)`);
  return report;
}

function showIssues({ out, story }: Telling): void {
  out.write("\nThe issues now:\n\n");
  printIssues(out, story.github);
  const { name, number } = story.hostile;
  out.write("\n");
  printParagraph(
    out,
    `Issue ${name}#${number}, whose post tried to ping people, close an issue, forge our mark and link a private issue (· stands for a character without width that was put in):`,
  );
  const text = story.github.issue(name, number).body ?? "";
  out.write(`\n${indent(text.replaceAll("\u200b", "·"))}`);
}

async function syncAgain(telling: Telling): Promise<RunReport> {
  heading(telling.out, "Day 1. $ boardsync sync   (again: nothing changed, so nothing is written)");
  const { report, projectsAfter } = await telling.run("sync");
  printRun(telling, {}, report, projectsAfter);
  telling.out.write(`${requestsOf(report)}\n`);
  return report;
}

/** People do something, and the sync follows. */
async function playDay(
  { out, story, run, skip }: Telling,
  scene: Scene,
  day: number,
): Promise<{ readonly report: RunReport; readonly changes: readonly Change[] }> {
  skip(dayMs);
  heading(out, `Day ${day}. ${scene.title}.`);
  scene.play(story);
  const before = takeSnapshot(story);
  const heard = story.board.notifications.length;
  const { report } = await run("sync");
  const changes = findChanges(before, takeSnapshot(story));
  out.write("$ boardsync sync\n");
  printChanges(out, changes);
  const mails = story.board.notifications.slice(heard);
  for (const { post, from, to, voters } of mails) {
    out.write(`${paint(out, "green", "✉")} ${count(voters, "voter")} of ${post} hear: ${from} → ${to}\n`);
  }
  if (mails.length === 0) out.write("✉ No voter is mailed.\n");
  return { report, changes };
}

function requestsOf({ projects }: RunReport): string {
  const sum = (side: "board" | "tracker"): number =>
    projects.reduce((total, { requests }) => total + requests[side], 0);
  return `It took ${count(sum("board"), "request")} to the board and ${sum("tracker")} to GitHub.`;
}

function conclude({ out, story }: Telling): void {
  const { notifications } = story.board;
  const mails = notifications.reduce((sum, { voters }) => sum + voters, 0);
  heading(out, "In the end");
  out.write(
    `${count(notifications.length, "change")} of status, each told once: ${count(mails, "mail")} to voters.\n`,
  );
  heading(out, "Your own board next");
  out.write(nextSteps);
}

const nextSteps = `1. export BOARD_API_KEY=… GITHUB_TOKEN=…          board: Settings → API; GitHub: a token for issues
2. npx boardsync init                             writes a config for your board and repositories
3. npx boardsync check                            is everything as the config says?
4. npx boardsync plan                             what would be done, and who would hear of it
5. npx boardsync sync                             do it once; \`npx boardsync daemon\` for ever

Or try every command on this sandbox: npx boardsync demo --serve
`;

function heading(out: Output, text: string): void {
  out.write(`\n${paint(out, "bold", `━━ ${text}`)}\n\n`);
}

function indent(text: string): string {
  return `${text.trimEnd().replace(/^(?=.)/gm, "    ")}\n`;
}
