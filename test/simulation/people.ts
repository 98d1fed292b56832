import type { PostField } from "../../src/model/post.ts";
import type { SandboxPeople } from "../support/sandbox/github/state/people.ts";
import type { BoardPost, BoardServer } from "./board-server.ts";
import { describePost } from "./board-server.ts";
import { isBothWays } from "./both-ways.ts";
import { lineOf, secret } from "./checks-notes.ts";
import type { HubIssue, HubRepository, HubServer } from "./github-server.ts";
import { moveTo } from "./places.ts";
import { pickWeighted, type Random } from "./random.ts";
import { actOnRepository } from "./repository-acts.ts";
import { categories, columns, type Scenario, statuses } from "./scenario.ts";
import { actOnSignals, closeIssue, isAboutDuplicates, isSignalled } from "./signals.ts";
import type { State } from "./state.ts";
import type { Events } from "./watcher.ts";

/** People on both sides. Each act says in a few words what was done; nothing may be there to be changed. */
export interface People {
  onBoard(random: Random): string;
  onGitHub(random: Random): string;
}

const boardActs = {
  status: 8,
  undo: 4,
  column: 4,
  onRoadmap: 3,
  category: 1,
  text: 4,
  votes: 2,
  reviewed: 1,
  archive: 2,
  unarchive: 2,
  remove: 1,
  comeBack: 1,
  add: 4,
  hide: 1,
  /** Where there are two projects. */
  move: 0,
} as const;

const hubActs = {
  complete: 8,
  drop: 4,
  reopen: 6,
  start: 6,
  pause: 4,
  assign: 3,
  unassign: 2,
  plan: 3,
  unplan: 2,
  comment: 3,
  below: 3,
  inside: 1,
  crlf: 1,
  retitle: 1,
  remove: 0.7,
  stranger: 1.5,
  lock: 0.7,
  repository: 3,
} as const;

/** Where rules look beside the records of issues, people do more there. */
const signalledActs = { ...hubActs, signal: 14 } as const;
const duplicateActs = { ...signalledActs, signal: 40, remove: 0.1 } as const;

/** Where issues follow posts, people move more of them; where a line of ours stands in internal notes, they write there, too. */
const notedActs = { ...boardActs, status: 16, note: 6 } as const;
/** Where it is about duplicates, they do little else. */
const movedActs = { ...boardActs, status: 48 } as const;

export function createPeople(
  board: BoardServer,
  hub: HubServer,
  events: Events,
  { github, policy, settings, quirks }: Scenario,
  state: State,
  note: (act: string) => void,
): People {
  const links = state.look<[number, number], { found: number }>(
    "SELECT 1 AS found FROM links WHERE repository = ? AND number = ?",
  );
  const searches = state.look<[number], { found: number }>(
    "SELECT 1 AS found FROM repositories WHERE id = ? AND memory ->> '$.scannedAt' IS NOT NULL",
  );
  /** A state that was lost finds that out by the issues that are listed; if those go first, nothing shows it. */
  const isSearched = ({ id }: HubRepository): boolean => searches(id).length > 0;
  const isKnown = ({ repository, number }: HubIssue): boolean => links(repository.id, number).length > 0;
  const linked = state.look<[string], { found: number }>(
    "SELECT 1 AS found FROM links JOIN posts ON posts.number = links.post WHERE posts.id = ? LIMIT 1",
  );
  /** What people make of a post before the program has found it nobody could tell from another one. */
  const isFound = ({ id, madeFrom }: BoardPost): boolean => madeFrom === undefined || linked(id).length > 0;
  const signalled = isAboutDuplicates(settings) ? duplicateActs : signalledActs;
  const weights = isSignalled(settings) ? signalled : { ...hubActs, signal: 0 };
  const { status } = isBothWays(settings) ? (isAboutDuplicates(settings) ? movedActs : notedActs) : boardActs;
  const boardWeights = {
    ...boardActs,
    status,
    note: settings.backlink ? notedActs.note : 0,
    move: quirks?.secondRepo === undefined ? 0 : 8,
  };
  const lagMs = (random: Random): number =>
    random.below(Math.max(1, Math.min(github.lagMs, policy.waits.createMs - 1)));
  const onRepository = (random: Random): string => {
    const { name, words, issue } = actOnRepository(hub, random, lagMs(random), isKnown);
    note(`repository: ${name}`);
    if (issue !== undefined) events.issueMoves(issue);
    return words;
  };
  return {
    onBoard(random) {
      const act = pickWeighted<keyof typeof notedActs>(random, boardWeights);
      note(`board: ${act}`);
      if (act === "add") return describeAdded(addPost(board, random));
      if (act === "comeBack") return bringBack(board, random);
      if (act === "undo") return undoLast(board);
      const posts = board.posts.filter((post) => !post.isDeleted && isFound(post));
      if (posts.length === 0) return "nobody finds a post";
      if (act === "move") return moveTo(board, random.pick(posts), events.postMoves);
      return changePost(board, random.pick(posts), act, random);
    },
    onGitHub(random) {
      const act = pickWeighted<keyof typeof signalledActs>(random, weights);
      note(`GitHub: ${act}`);
      if (act === "stranger") return openByStranger(hub, board, random);
      if (act === "repository") return onRepository(random);
      const issues = hub.repositories.flatMap((repository) =>
        repository.issues.filter(({ isDeleted }) => !isDeleted),
      );
      if (issues.length === 0) return "nobody finds an issue";
      const issue = random.pick(issues);
      if (act === "remove" && !isSearched(issue.repository))
        return "nobody deletes an issue that the state has not looked for";
      const words =
        act === "signal"
          ? actOnSignals(hub, settings, issue, random, lagMs(random))
          : changeIssue(hub, issue, act, random, lagMs(random));
      events.issueMoves(issue);
      return words;
    },
  };
}

export function addPost(board: BoardServer, random: Random): BoardPost {
  return board.add({
    status: random.pick(statuses),
    roadmapColumn: random.chance(0.5) ? random.pick(columns) : null,
    onRoadmap: random.chance(0.4),
    isReviewed: random.chance(0.7),
    categoryId: random.pick(categories),
    votes: random.below(8),
  });
}

function describeAdded({ id, values }: BoardPost): string {
  return `somebody adds ${id} with the status ${values.status}`;
}

/** Somebody does not like what we did last, and sets the status back to what it was. */
function undoLast(board: BoardServer): string {
  const at = ({ touched }: BoardPost): number => touched.get("status")?.at ?? 0;
  const [post] = board.posts
    .filter(({ isDeleted, touched }) => !isDeleted && touched.get("status")?.by === "us")
    .toSorted((one, other) => at(other) - at(one));
  if (post?.statusBefore === undefined) return "nobody minds what was written";
  board.edit(post, { status: post.statusBefore });
  return `somebody sets the status of ${post.id} back to ${post.statusBefore}`;
}

function bringBack(board: BoardServer, random: Random): string {
  const deleted = board.posts.filter(({ isDeleted }) => isDeleted);
  if (deleted.length === 0) return "nobody misses a post";
  const post = random.pick(deleted);
  board.restore(post);
  return `${post.id} is back`;
}

function changePost(
  board: BoardServer,
  post: BoardPost,
  act: Exclude<keyof typeof notedActs, "add" | "comeBack" | "undo" | "move">,
  random: Random,
): string {
  const set = (field: PostField, value: string | number | boolean | null): string => {
    if (post.values[field] !== value) board.edit(post, { [field]: value });
    return `somebody sets ${field} of ${post.id} to ${value}`;
  };
  switch (act) {
    case "status":
      return set("status", random.pick(statuses));
    case "column":
      return set("roadmapColumn", random.pick(columns));
    case "onRoadmap":
      return set("onRoadmap", random.chance(0.5));
    case "category":
      return set("categoryId", random.pick(categories));
    case "votes":
      return set("votes", random.below(9));
    case "reviewed":
      return set("isReviewed", random.chance(0.5));
    case "archive":
      return set("isArchived", true);
    case "unarchive":
      return set("isArchived", false);
    case "text":
      post.version += 1;
      if (random.chance(0.3)) set("title", `Wish of ${post.id}, edited ${post.version} times`);
      return set("description", describePost(post.id, post.version));
    case "note":
      board.edit(post, { internalNote: editNote(post.note, random) });
      return `somebody makes the note of ${post.id} ${JSON.stringify(post.note)}`;
    case "remove":
      board.remove(post);
      return `somebody deletes ${post.id}`;
    case "hide":
      post.hiddenFor = random.between(1, 3);
      return `the board leaves ${post.id} out of its next ${post.hiddenFor} lists`;
  }
}

/** People write above and below our line, in either form of line ends, and take it away. */
function editNote(note: string, random: Random): string {
  const words = `${secret} ${random.below(1_000)} `;
  const lines = note.split("\n");
  return random.pick([
    `${words}\n${note}`,
    `${note}\r\n${words}`,
    `${note}\n\n${words}\n`,
    lines.filter((line) => lineOf(line) === null).join("\n"),
    "",
  ]);
}

function changeIssue(
  hub: HubServer,
  issue: HubIssue,
  act: Exclude<keyof typeof hubActs, "stranger" | "repository">,
  random: Random,
  lagMs: number,
): string {
  const { repository, number, record } = issue;
  const { state, locked } = record.issue;
  const at = [repository.name, number] as const;
  const name = `${repository.name}#${number}`;
  const change = (words: string, does: (people: SandboxPeople) => void): string => {
    hub.act(lagMs, does);
    return `somebody ${words} ${name}`;
  };
  const close = (reason: "completed" | "not_planned" | "duplicate"): string => {
    closeIssue(hub, issue, reason, lagMs);
    return `somebody closes as ${reason} ${name}`;
  };
  const { names } = repository;
  /** People take the label or the milestone that it is, whatever it is called by now. */
  const use = (first: string, does: (name: string) => string): string => {
    const known = names.nowOf(first);
    return known === undefined ? comment() : does(known);
  };
  const write = (words: string, body: string): string =>
    change(words, (people) => people.edit(...at, { body }));
  const comment = (): string =>
    change("comments on", (people) => people.comment(...at, "A word of ours.", "maintainer"));
  switch (act) {
    case "complete":
      return close("completed");
    case "drop":
      return close(random.pick(["not_planned", "duplicate"]));
    case "reopen":
      return state === "open" ? comment() : change("reopens", (people) => people.reopen(...at));
    case "start":
      return use("in progress", (label) =>
        change(`labels '${label}'`, (people) => people.label(...at, label)),
      );
    case "pause":
      return use("in progress", (label) =>
        change(`takes '${label}' from`, (people) => people.unlabel(...at, label)),
      );
    case "assign":
      return change("takes on", (people) => people.assign(...at, "maintainer"));
    case "unassign":
      return change("gives back", (people) => people.assign(...at));
    case "plan":
      return use("Backlog", (title) => change("plans", (people) => people.setMilestone(...at, title)));
    case "unplan":
      return change("takes the milestone from", (people) => people.setMilestone(...at, null));
    case "comment":
      return comment();
    case "below":
      return write("writes below the block of", `${record.body}\nA note of ours.`);
    case "inside":
      issue.isBlockEdited = true;
      return write("edits the managed block of", record.body.replace("Canary", "Edited canary"));
    case "crlf":
      return write("saves in GitHub's form", record.body.replaceAll(/\r?\n/g, "\r\n"));
    case "retitle":
      return change("renames", (people) => people.edit(...at, { title: `${record.title} (renamed)` }));
    case "lock":
      return locked
        ? change("unlocks", (people) => people.unlock(...at))
        : change("locks", (people) => people.lock(...at));
    case "remove":
      return change("deletes", (people) => people.deleteIssue(...at));
  }
}

/** Whoever copies a marker is not us: it must not count. */
function openByStranger(hub: HubServer, board: BoardServer, random: Random): string {
  const repository = random.pick(hub.repositories);
  const ours = repository.issues.find(({ openedFor }) => openedFor.length > 0);
  const body = ours !== undefined && random.chance(0.7) ? ours.record.body : "My own words.";
  const title = `Of a stranger, among ${board.posts.length} posts`;
  const issue = hub.open(repository, { title, body, author: "stranger" });
  return `a stranger opens ${repository.name}#${issue.number}${body === "My own words." ? "" : " with a copied marker"}`;
}
