import { hostilePost, project, repository } from "../../demo/company.ts";
import type { Story } from "../../demo/story.ts";
import { dayMs, describeLength, minuteMs } from "../../model/time.ts";
import { sum } from "../../select.ts";
import { count } from "../../sync/tell/words.ts";
import { cutOff, paint } from "../print/text.ts";
import type { Stage } from "./stage.ts";
import { type Chapter, createTeller, type Ran, type Teller, type Telling, type ToldStory } from "./teller.ts";

/** How late people notice a slip. */
const noticeMs = 4 * minuteMs;
/** The number of the issue whose answer is lost. */
const lostIssue = 3;
const withoutWidth = "\u200b";

/** The story, in its order. The process that is killed comes first: it knows nothing of a clock that was put forward. */
export const chapters: readonly Chapter[] = [
  { title: "A feedback board and a GitHub, both on this machine", tell: introduce },
  { title: "1. Killed in the middle of a write", tell: kill },
  { title: "2. A post that means harm", tell: showHarm },
  { title: "3. A change settles first, then its voters are notified once", tell: settle },
  { title: "4. A slip of which nobody is notified", tell: slip },
  { title: "5. A script closes every issue", tell: closeAll },
  { title: "6. Undo", tell: undo },
  { title: "In the end", tell: conclude },
];

/** Tells the story, step by step. Every number in it is counted on the two sides, none is written down. */
export async function tellStory(telling: Telling): Promise<ToldStory> {
  const { out, signal, pause } = telling;
  const { teller, told, isOver } = createTeller(telling);
  for (const [index, { title, tell }] of chapters.entries()) {
    if (index > 0) await pause?.();
    if (signal.aborted || isOver()) break;
    out.write(`${index > 0 ? "\n" : ""}${paint(out, "bold", title)}\n`);
    try {
      await tell(teller);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  return told;
}

function introduce({ say, isSlow, story }: Teller): void {
  if (isSlow) say("Any key goes on, Ctrl-C leaves.");
  const posts = story.board.posts(project);
  const planned = plannedOf(story);
  for (const { id, title, votes, status } of planned)
    say(
      `${id}  ${cutOff(title, 36).padEnd(36)} ${votes.toLocaleString("en").padStart(5)} voters   ${status}`,
    );
  const issues = story.github.issues(repository).length;
  say(
    `${count(posts.length, "post")}, ${planned.length} of them planned: those are to become issues. ${count(issues, "issue")} so far.`,
  );
}

async function kill({ stage, story, say, type, fact, end, sync }: Teller): Promise<void> {
  const { syncAndKill } = stage;
  if (syncAndKill === undefined) {
    say("No process can be started from here. To see one killed, run `boardsync demo` in a shell.");
    type("boardsync sync");
  } else {
    type("boardsync sync", `a process of its own: kill -9 while it opens issue #${lostIssue}`);
    if (!(await syncAndKill(lostIssue))) {
      end("The process lives until it is killed.");
      return;
    }
    const { opened, answered } = countOpened(story);
    say(`GitHub has opened ${opened} issues. boardsync has heard of ${answered}: the last answer is lost.`);
    type("boardsync sync", "started again");
  }
  const { report } = await sync(
    syncAndKill ? `boardsync is killed while it opens #${lostIssue}` : "A first start",
  );
  if (syncAndKill) say(`It finds #${lostIssue} by a hidden mark in its text, and opens the rest.`);
  const { opened, asked } = countOpened(story);
  const planned = plannedOf(story);
  const titled = planned.filter(({ title }) => countTitled(story, title) === 1);
  fact(
    `${count(planned.length, "planned post")}, ${count(opened, "issue")} by ${count(asked, "request")}: none twice, none missing.`,
    opened === planned.length && asked === opened && titled.length === opened && report.result === "ok",
  );
}

function showHarm({ story, say, quote, fact }: Teller): void {
  const post = story.board.post(project, hostilePost);
  const { number, title, body } = story.github.issue(repository, lostIssue);
  const text = (body ?? "").split("\n").filter((line) => line !== "" && !line.startsWith("<!--"));
  const arrived = [title, text[0] ?? ""];
  say(`${post?.id} means to ping all, close #1, link a private issue and forge our mark:`);
  for (const line of [post?.title ?? "", post?.description ?? ""]) quote(line);
  say(`What arrived in #${number} (· is a character without width):`);
  for (const line of arrived) quote(line.replaceAll(withoutWidth, "·"));
  const marks = `${title}\n${body}`.match(/<!-- boardsync:v1/g) ?? [];
  fact(
    `Nobody is pinged, nothing is closed or linked, and ${count(marks.length, "mark")} is there: ours.`,
    marks.length === 1 && !arrived.some((line) => /@everyone|#1\b|\/\/github\.com/.test(line)),
  );
}

async function settle({ stage, story, say, type, fact, sync }: Teller): Promise<void> {
  const wait = stage.config.settle;
  say('Dana starts with dark mode: she labels #1 "in progress".');
  story.github.label(repository, 1, "in progress");
  type("boardsync sync");
  const first = await sync('Dana labels #1 "in progress"');
  say(`Nothing is written yet: the change has to stand for ${waitOf(stage, first.left)}.`);
  stage.skip(wait);
  type("boardsync sync", `${describeLength(wait)} later`);
  const second = await sync("The change has stood long enough");
  for (const { post, from, to, voters } of second.mails)
    say(`${post} changes from ${from} to ${to}. ${count(voters, "voter")} are notified.`);
  type("boardsync sync", "once more");
  const third = await sync("Nothing happens");
  const mails = sum([...first.mails, ...second.mails, ...third.mails].map(({ voters }) => voters));
  const voters = story.board.post(project, "p1")?.votes;
  fact(
    `Nothing to write. ${count(mails, "notification")} for ${voters} voters.`,
    mails === voters && first.changes.length === 0 && third.changes.length === 0,
  );
}

async function slip({ stage, story, say, type, fact, sync, spared }: Teller): Promise<void> {
  say(`Dana closes #2 by mistake. ${describeLength(noticeMs)} later she sees it, and reopens #2.`);
  type("boardsync sync", `between the two, and ${describeLength(stage.config.settle)} later`);
  story.github.close(repository, 2);
  const first = await sync("Dana closes #2 by mistake");
  spared.push(first.wouldNotify);
  stage.skip(noticeMs);
  story.github.reopen(repository, 2);
  stage.skip(stage.config.settle);
  const second = await sync("She reopens #2");
  fact(
    `Nothing is written: ${notified(first, second)} in place of ${first.wouldNotify}.`,
    first.wouldNotify > 0 && isQuiet(first, second) && isDone(second),
  );
}

async function closeAll({ stage, story, say, type, fact, sync, spared }: Teller): Promise<void> {
  stage.skip(dayMs);
  const open = story.github.issues(repository).filter(({ state }) => state === "open");
  for (const { number } of open) story.github.close(repository, number);
  say(`The next day a script closes all ${count(open.length, "issue")}.`);
  type("boardsync sync", `now, and ${describeLength(stage.config.settle)} later`);
  const first = await sync("A script closes every issue");
  stage.skip(stage.config.settle);
  const held = await sync("The changes have stood long enough");
  spared.push(held.wouldNotify);
  say(`${held.left[0]?.held?.replace(/: `boardsync approve.*/, "")}.`);
  const isHeld = held.report.result === "held" && held.left.every(({ when }) => when === "held");
  fact(
    `All of it needs a person: ${notified(first, held)} in place of ${held.wouldNotify}.`,
    isHeld && isQuiet(first, held),
  );
  for (const { number } of open) story.github.reopen(repository, number);
  say("`boardsync status` says so. Nobody approves it; people reopen the issues.");
  type("boardsync sync");
  const after = await sync("People reopen the issues");
  fact(`Nothing needs a person any more. ${notified(after)}.`, isQuiet(after) && isDone(after));
}

async function undo({ story, say, type, fact, sync, undo: takeBack }: Teller): Promise<void> {
  const spam = { title: "Cheap watches", description: "Buy now!", status: "planned", votes: 6 };
  const id = story.board.addPost(project, spam);
  const issueOf = () => story.github.issues(repository).find(({ title }) => title === spam.title);
  say(`Somebody marks spam as planned: ${id}, "${spam.title}".`);
  type("boardsync sync");
  const opened = await sync("Somebody marks spam as planned");
  const { run } = opened.report;
  say(`Run ${run} opens #${issueOf()?.number} for it.`);
  type(`boardsync undo ${run}`);
  const undone = await takeBack(`Run ${run} is undone`, run);
  const closed = issueOf();
  const after = await sync("Nothing happens");
  fact(
    `#${closed?.number} is ${closed?.state} as ${closed?.stateReason?.replace("_", " ")}, and the next sync lets it be. ${notified(opened, undone, after)}.`,
    closed?.stateReason === "not_planned" &&
      [opened, undone, after].every(({ mails }) => mails.length === 0) &&
      isQuiet(after) &&
      isDone(after),
  );
}

function conclude({ story, say, fact, spared }: Teller): void {
  const { notifications } = story.board;
  const mails = sum(notifications.map(({ voters }) => voters));
  fact(
    `${count(notifications.length, "change")} of status: ${count(mails, "notification")}. ${sum(spared)} unwanted ones were not sent.`,
    notifications.length === 1,
  );
  say("Your own board next: `boardsync init` asks for its address.");
  say("(`boardsync demo --serve` keeps these two up, to try every command on.)");
}

function plannedOf({ board }: Story) {
  return board.posts(project).filter(({ status }) => status === "planned");
}

/** Issues that are open, requests to open one, and those of them whose answer has left. */
function countOpened({ github }: Story) {
  return { opened: github.issues(repository).length, ...github.creates };
}

/** How many issues have the title of a post, but for what was made harmless in it. */
function countTitled({ github }: Story, wanted: string): number {
  return github.issues(repository).filter(({ title }) => title.replaceAll(withoutWidth, "") === wanted)
    .length;
}

/** How long the last of these waits. */
function waitOf(stage: Stage, left: Ran["left"]): string {
  const until = Math.max(...left.map(({ notBefore }) => Date.parse(notBefore ?? "")));
  return describeLength(until - stage.now());
}

/** Nothing is written, and no voter hears. */
function isQuiet(...runs: readonly Ran[]): boolean {
  return runs.every(({ changes, mails }) => changes.length === 0 && mails.length === 0);
}

/** Nothing is left to do, now, later or by a person. */
function isDone({ left, report }: Ran): boolean {
  return left.length === 0 && report.result === "ok";
}

function notified(...runs: readonly Ran[]): string {
  return count(sum(runs.flatMap(({ mails }) => mails).map(({ voters }) => voters)), "notification");
}
