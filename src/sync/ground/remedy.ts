import type { FaultDetail } from "../../errors.ts";
import type { WaitingRow } from "../../ledger/rows.ts";
import { type Cause, letGoBy } from "../../model/causes.ts";

/** What ends a wait: a command to type, or undefined where it ends by itself, by a change on either side, or by one of the config. */
export function remedyOf(
  {
    cause,
    post,
    isStopped = false,
  }: Pick<WaitingRow, "cause"> & { readonly post: string; readonly isStopped?: boolean },
  project: string,
): string | undefined {
  const way = letGoBy(cause);
  switch (way) {
    case "approve":
      if (isStopped) return undefined;
      return command(way, project, post.startsWith("-") ? `${project}/${post}` : post);
    case "resume":
      if (cause === "all-paused") return command(way, "--all");
      return command(way, cause === "project-paused" ? project : `${project}/${post}`);
    case "retry":
    case "release":
      return command(way, `${project}/${post}`);
    case "time":
    case "sides":
    case "config":
      return undefined;
  }
}

/** The same for all of a project that wait so: by their code where they have one. undefined where each has no command of its own. */
export function remedyOfAll(
  { cause, code }: Pick<WaitingRow, "cause"> & { readonly code: string | null | undefined },
  project: string,
): string | undefined {
  const way = letGoBy(cause);
  if (way !== "retry" && way !== "release" && cause !== "paused") return undefined;
  return command(way, project, ...(code == null ? [] : ["--code", code]));
}

/** One way out. */
export interface Way {
  /** What it does, in words. */
  readonly does: string;
  /** What is typed for it; undefined for what is done on one of the two sides. */
  readonly typed?: string;
}

/** What a way out hangs on. */
export interface Waited {
  readonly cause: Cause;
  /** Held, and nothing of its own lets it go. */
  readonly isStopped?: boolean;
  /** Whether voters would be notified. */
  readonly isNotifying?: boolean;
}

/**
 * The ways out of what a person has to let go, the dangerous one last, and what stops a change that is going to notify voters; none
 * where nothing of it can be let go.
 *
 * @param posts - none for all that the project holds.
 */
export function waysOf(
  { cause, isStopped = false, isNotifying = false }: Waited,
  project: string,
  posts: readonly string[],
): readonly Way[] {
  const of = posts.map((post) => (post.startsWith("-") ? `${project}/${post}` : post));
  if (cause === "settling" && isNotifying)
    return [
      { does: "take back what asks for it, as by reopening the issue: then nothing is written" },
      {
        does: "write nothing for now",
        typed: command(
          "pause",
          ...(posts.length === 0 ? [project] : posts.map((post) => `${project}/${post}`)),
        ),
      },
    ];
  if (letGoBy(cause) !== "approve" || isStopped) return [];
  const [one] = posts;
  const undo = undoing[cause];
  return [
    one !== undefined && posts.length === 1
      ? { does: "look", typed: command("explain", `${project}/${one}`) }
      : { does: "look", typed: command("plan", "-p", project) },
    { does: "leave both sides as they are", typed: command("approve", project, ...of, "--discard") },
    ...(undo === undefined ? [] : [{ does: `${undo}: then it ends by itself` }]),
    {
      does: posts.length === 0 ? "let all of it go" : "let it go",
      typed: command("approve", project, ...of),
    },
  ];
}

/**
 * What a person may do where the issue of a post may be there already: link the two, or have another one made all the same.
 *
 * @param held what an approval names of them.
 */
export function linkOrMake(project: string, post: string, issue: string, held = post): string {
  const link = command("link", `${project}/${post}`, issue);
  return `\`${link}\` links it, \`${command("approve", project, held)}\` makes a new one`;
}

/** What takes back the cause of a hold. */
const undoing: Readonly<Partial<Record<Cause, string>>> = {
  guard: "take back what asks for it, as by reopening the issues",
  "rules-changed": "put back the rules that were",
  conflict: "let both sides show the same",
  "something-else": "take back what asks for it",
  public: "make the repository private",
  named: "link the issue that names the post, by `boardsync link`",
  "other-address": "name the other address in `board.formerUrls`",
};

/** A command as a person types it: ids are the board's, so whatever a shell could take for its own is quoted. */
export function command(...words: readonly string[]): string {
  return ["boardsync", ...words.map(quoteForShell)].join(" ");
}

/**
 * The commands between the back-ticks of a text, as a person starts the program at this place.
 *
 * @param started - for example `npx boardsync`.
 */
export function asStarted(text: string, started: string): string {
  return text.replaceAll(/`boardsync (?=[a-z])/g, () => `\`${started} `);
}

/** The same for a text that is nothing but a command. */
export function commandAsStarted(typed: string, started: string): string {
  return typed.replace(/^boardsync(?= )/, () => started);
}

/** As a shell takes it for one word. */
export function quoteForShell(word: string): string {
  return /^[\w./:@#=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** What went wrong, as far as a remedy hangs on it. */
export interface Failed {
  /** For example `board.unreachable`. */
  readonly code: string;
  readonly detail?: FaultDetail | undefined;
  /** Set where it concerns one post or issue alone. */
  readonly post?: string | undefined;
  readonly issue?: string | undefined;
}

/** What a person may do about a failure, and whether the next run tries again; undefined where the message says it all. */
export function adviceOn({ code, detail, post, issue }: Failed): string | undefined {
  if (detail === "told") return undefined;
  const isOne = post !== undefined || issue !== undefined;
  const keys = [`${code}/${detail}`, `${code}/${isOne ? "one" : "all"}`, code];
  return keys.map((key) => advice[key]).find((found) => found !== undefined);
}

/** What an order needs that no later run carries out by itself. */
export const sayAgain = "No later run does it by itself; undo the run again.";

/** The same advice for such an order. */
export function adviceOnce(advice: string): string {
  const own = advice.replaceAll(/(?:Nothing is lost|Nothing needs to be done): [^.]*\. ?/g, "").trim();
  return own === "" || own === sayAgain ? sayAgain : `${own} ${sayAgain}`;
}

const again = "Nothing is lost: the next run tries again.";

const boardPage = `Is board.url the address of the board's API (it often ends in /api/v1), and not of a page for people? A login page or a proxy may answer in its place. ${again}`;
const trackerPage = `Is tracker.url the address of GitHub's API (https://api.github.com, or https://HOST/api/v3)? A login page or a proxy may answer in its place. ${again}`;
const boardSaid = `The board's own words say why: mend what they name. ${again}`;
const endedEarly = (what: string): string =>
  `The answer ended on its way: ${what} or a proxy broke it off. ${again} If it stays: ask for smaller pages, by board.paging.sizeParam and size.`;
const unreachable = (setting: string): string =>
  `Is ${setting} right, and does this machine reach it? HTTPS_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS are honoured. ${again}`;
const proxy = (setting: string): string =>
  `Does the proxy run, and are its address and its password right? Hosts that it is not for belong into NO_PROXY: put the host of ${setting} there if this machine reaches it directly. ${again}`;
const limited =
  "Nothing needs to be done: a run after that time goes on. If it happens often, run less often (`schedule`).";
const parked = (what: string): string =>
  `No run sends it again by itself until the post, its issue or the settings change. ${what}; or \`boardsync retry POST\` sends it once more.`;

const takenUp =
  "A daemon finds a new one in `.env` or in a secret's file by itself; start it again if it was started with the old one in its environment. Nothing is lost: the next run goes on.";

/** By code; `/page` and the like for that detail, `/one` for the failure of a single post or issue. */
const advice: Readonly<Record<string, string>> = {
  "board.unauthorized": `Put a valid key into BOARD_API_KEY (the board's Settings → API). ${takenUp}`,
  "board.unauthorized/forbidden": `The board knows the key and does not allow it this. Give it the right to read and write feedback (the board's Settings → API), or put another key into BOARD_API_KEY. ${takenUp}`,
  "board.unauthorized/page": boardPage,
  "board.unreachable": unreachable("board.url"),
  "board.unreachable/proxy": proxy("board.url"),
  "board.unreachable/server": `Nothing needs to be done: the board answers with an error of its own. ${again}`,
  "board.unreachable/slow": `The board took too long. ${again} If it stays: raise board.timeout, or ask for smaller pages (board.paging.sizeParam and size).`,
  "board.limited": limited,
  "board.refused": `Is board.url right? A proxy or a firewall between may have refused it. ${again}`,
  "board.refused/page": boardPage,
  "board.refused/said": boardSaid,
  "board.missing/all":
    "Is board.url the address of the board's API, and is the project still there? `boardsync check` lists the projects that the key sees.",
  "board.missing/page": boardPage,
  "board.missing/one":
    "Nothing is sent for that post until the board lists it again. If the list shows it all the same: may the key change posts, and does the board name it there by another id (`board.fields.id`)?",
  "board.unreadable":
    "Say in board.list, board.paging and board.fields where things are. `boardsync check` shows what the answers look like.",
  "board.unreadable/page": boardPage,
  "board.unreadable/said": boardSaid,
  "board.unreadable/cut": endedEarly("the board"),
  "board.unreadable/slow": `The board took too long. ${again} If it stays: raise board.timeout, or ask for smaller pages (board.paging.sizeParam and size).`,
  "board.incomplete": `The posts that it showed are synced; no post counts as missing. ${again} If it stays: \`boardsync check\` shows how the list is read.`,
  "board.unfinished":
    "Raise `budget`, or ask for larger pages (board.paging.sizeParam and size). What was read is kept, and what follows from it is written.",
  "board.rejected": parked("Correct what the board complains of, often a `status` that it doesn't know"),
  "board.unknown": "Nothing needs to be done: the next runs look at the post before anything is sent again.",

  "tracker.unauthorized": `Put a valid token into GITHUB_TOKEN, or mend GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY. It needs Issues: read and write on the repositories. ${takenUp}`,
  "tracker.unauthorized/forbidden":
    "GitHub knows the token and does not allow it this. Where an organisation allows no such token, or not from this address, GitHub's own words say what helps; else give it the permission that GitHub names, Issues: read and write at least. Nothing is lost: the next run goes on.",
  "tracker.unauthorized/page": trackerPage,
  "tracker.unreachable": unreachable("tracker.url"),
  "tracker.unreachable/proxy": proxy("tracker.url"),
  "tracker.unreachable/server": `Nothing needs to be done: GitHub answers with an error of its own. ${again} https://www.githubstatus.com may say more.`,
  "tracker.unreachable/slow": `GitHub took too long. ${again} If it stays: raise tracker.timeout.`,
  "tracker.limited": limited,
  "tracker.refused/said": `GitHub's own words say why: mend what they name. ${again}`,
  "tracker.refused/gone": `Switch issues on in that repository's settings if they are off; or it was deleted, and the config or the link is to be corrected. ${again}`,
  "tracker.refused/blocked":
    "GitHub has blocked that repository for legal reasons, such as a DMCA notice: its owner gets it back with GitHub's support. Until then take it out of the config, or leave it: what concerns it waits, and all else goes on.",
  "tracker.refused": `Is tracker.url the address of GitHub's API, and \`repo\` the repository's name? A proxy between may have refused it. ${again}`,
  "tracker.unreadable": `The answer was not as GitHub's API gives it. ${again} If it stays: is tracker.url right, and does a proxy change answers?`,
  "tracker.unreadable/page": trackerPage,
  "tracker.missing/page": trackerPage,
  "tracker.missing/all":
    "Correct `repo` or `route`, or let the token, or the App's installation, see the repository. Nothing is lost: the next run goes on.",
  "tracker.permission/one":
    "Give the token, or the App, Issues: read and write on that repository (a role that may triage or write, too), and let its owner allow the token. The next run goes on by itself.",
  "tracker.archived":
    "Unarchive it, or take it out of the config: what waits then goes on by itself. Posts are written meanwhile.",
  "tracker.rejected": parked("Read GitHub's words and mend what they name"),
  "tracker.unknown":
    "Nothing needs to be done: the next runs look at the issue, or look for it, before anything is sent again.",
  "tracker.undecided": `Nothing is written for that post meanwhile. ${again} If it stays: give the permission that the message names.`,

  "state.held":
    "Only one process may write. If that is a daemon, stop it first: of other commands it carries out `sync`, `apply` and `undo` alone. If it is another process, or stands still, wait for it, or end it. `boardsync status` and `boardsync plan` work beside it.",
  "state.broken-off":
    "Look at what was written, and say it again if it is still wanted: what is done already is not done twice.",
};
