import type {
  BoardTools,
  ToolArguments,
  ToolOutcome,
  ToolPurpose,
  ToolWriting,
} from "../../src/board/tools.ts";
import type { ToolRecord } from "../../src/model/post.ts";
import { hashArguments } from "../../src/sync/write/call.ts";
import type { BoardPost, BoardServer } from "./board-server.ts";
import type { HubServer } from "./github-server.ts";
import type { Life } from "./process.ts";
import { pickWeighted } from "./random.ts";
import type { Scenario } from "./scenario.ts";
import type { Events } from "./watcher.ts";
import { limitEnd, type Wire } from "./wire.ts";

/** An entry of the board's changelog. */
export interface Entry {
  readonly id: string;
  /** Of the release that it was made of. */
  readonly tag: string;
  title: string;
  text: string;
  /** Hash of the arguments that have made it what it is, but for what people edited. */
  madeBy: string;
  isPublished: boolean;
  isDeleted: boolean;
  /** From when on a list shows it as it is: true time. */
  listedAt: number;
  /** As the lists show it until then; undefined: not at all. */
  before: ToolRecord | undefined;
}

/** What the board's own tools know, whoever calls them. */
export interface ToolServer {
  readonly entries: Entry[];
  /** Whether every list shows all as it is. */
  isSettled(): boolean;
}

/** A call that leaves. */
export interface LeavingCall {
  readonly life: Life;
  readonly purpose: ToolWriting;
  readonly args: ToolArguments;
  /** The tag of the release; of an issue, `owner/name#number`. */
  readonly subject: string;
  /** True time at which it left. */
  readonly leftAt: number;
  /** Whether it takes effect, or may. */
  readonly isHeard: boolean;
}

export function createToolServer({ time }: Wire, board: BoardServer): ToolServer {
  const entries: Entry[] = [];
  return {
    entries,
    isSettled: () =>
      entries.every(({ listedAt }) => listedAt <= time.now()) &&
      board.posts.every(({ listedAt }) => listedAt <= time.now()),
  };
}

/** What a call and a list hang on. */
export interface ToolLine {
  readonly tools: ToolServer;
  readonly board: BoardServer;
  readonly hub: HubServer;
  readonly wire: Wire;
  readonly events: Events;
  readonly life: Life;
  readonly scenario: Scenario;
}

/** The board's tools as a process reaches them over a bad line. */
export function createSimTools(line: ToolLine, purposes: readonly ToolPurpose[]): BoardTools {
  const { wire, life, scenario } = line;
  let requests = 0;
  return {
    purposes: new Set(purposes),
    get requests() {
      return requests;
    },
    async list(_purpose, _args, bounds) {
      requests += 1;
      await wire.read(life, "board", bounds, scenario.skewMs);
      const list = listEntries(line);
      line.events.entriesAreListed(list.isComplete);
      return list;
    },
    async call(purpose, args) {
      requests += 1;
      const leftAt = wire.time.now();
      await wire.leave(life);
      const outcome = send(line, purpose, args, leftAt);
      await wire.arrive(life);
      return outcome;
    },
  };
}

function listEntries({ tools, wire }: ToolLine) {
  const { random, faultRate } = wire.weather;
  const now = wire.time.now();
  const shown = tools.entries.flatMap((entry): readonly ToolRecord[] => {
    if (entry.isDeleted) return [];
    return entry.listedAt <= now ? [recordOf(entry)] : entry.before === undefined ? [] : [entry.before];
  });
  const isCut = random.chance(faultRate / 2);
  if (isCut) wire.count("tools: list cut");
  return { records: isCut ? shown.slice(0, random.below(shown.length + 1)) : shown, isComplete: !isCut };
}

/** The issue that a post is made of, and its name, by the address that ends the text. */
function sourceOf(hub: HubServer, args: ToolArguments) {
  const [, name = "", number = ""] =
    /\/([^/\s]+\/[^/\s]+)\/issues\/(\d+)$/.exec(String(args["description"])) ?? [];
  const repository = hub.repositories.find((one) => [one.name, ...one.formerNames].includes(name));
  const issue = repository && hub.follow(repository.id, Number(number));
  return { subject: `${name}#${number}`, issue };
}

function isListed({ tools }: ToolLine, wanted: unknown): boolean {
  return tools.entries.some(({ id, isDeleted }) => id === wanted && !isDeleted);
}

function subjectOf({ hub, tools }: ToolLine, purpose: ToolWriting, args: ToolArguments): string {
  if (purpose === "feedbackCreate") return sourceOf(hub, args).subject;
  return String(args["tag"] ?? tools.entries.find(({ id }) => id === args["id"])?.tag);
}

type Fate = keyof typeof fates;

const fates = {
  fine: 0,
  unsent: 2,
  unauthorized: 1,
  limited: 1,
  /** An error in a 200. */
  rejected: 1,
  lost: 3,
  "answer lost": 4,
  late: 4,
  "no id": 1.5,
  /** Another tool's result. */
  "wrong answer": 1.5,
} as const;

function drawFate({ wire }: ToolLine): Fate {
  const { random, faultRate } = wire.weather;
  const outage = wire.outage("board");
  if (outage !== undefined) {
    if (outage.fault !== "unreachable") return outage.fault;
    return random.chance(0.5) ? "unsent" : "lost";
  }
  return random.chance(Math.min(0.8, faultRate * 2)) ? pickWeighted<Fate>(random, fates) : "fine";
}

const heard: ReadonlySet<Fate> = new Set(["fine", "answer lost", "late", "no id", "wrong answer"]);

/** One call, and what the program gets to know of it. */
function send(line: ToolLine, purpose: ToolWriting, args: ToolArguments, leftAt: number): ToolOutcome {
  const { wire, events, life, scenario } = line;
  const fate = drawFate(line);
  const subject = subjectOf(line, purpose, args);
  const isThere = purpose === "feedbackCreate" || purpose === "changelogCreate" || isListed(line, args["id"]);
  const isHeard = heard.has(fate) && isThere;
  events.toolCallLeaves({ life, purpose, args, subject, leftAt, isHeard });
  if (fate !== "fine") wire.count(`tools: call ${fate}`);
  switch (fate) {
    case "unsent":
      return { kind: "unsent", message: "The connection was refused." };
    case "unauthorized":
      return { kind: "unauthorized", message: "The key is not accepted." };
    case "limited": {
      const now = wire.time.now() + scenario.skewMs;
      const retryAt = limitEnd(wire, wire.outage("board"), now, scenario.skewMs);
      return { kind: "limited", retryAt, message: "Too many calls." };
    }
    case "rejected":
      return { kind: "rejected", message: "The title is too long." };
    case "lost":
      return { kind: "unknown", message: "The session was dropped." };
    case "late": {
      const delayMs = wire.weather.random.between(1, Math.floor(scenario.policy.waits.createMs * 0.6));
      const lagMs = lagOf(line, delayMs);
      wire.time.at(wire.time.now() + delayMs, () => take(line, purpose, args, lagMs));
      return { kind: "unknown", message: "No answer in time." };
    }
    case "answer lost":
      take(line, purpose, args, lagOf(line, 0));
      return { kind: "unknown", message: "The answer broke off." };
    case "no id":
    case "fine":
    case "wrong answer": {
      const other = fate === "fine" ? undefined : otherRecord(line, purpose);
      const record = take(line, purpose, args, lagOf(line, 0));
      if (record === "missing") return { kind: "rejected", message: "There is no such entry." };
      if (fate === "no id") return { kind: "applied", record: undefined };
      return { kind: "applied", record: fate === "fine" ? record : other };
    }
  }
}

/** What took effect is in the lists within the wait, counted from the moment at which we gave up on it. */
function lagOf({ scenario, wire }: ToolLine, delayMs: number): number {
  const most = Math.min(scenario.github.lagMs, scenario.policy.waits.createMs - delayMs - 1);
  return most <= 0 ? 0 : wire.weather.random.between(0, Math.floor(most));
}

function otherRecord({ board, tools }: ToolLine, purpose: ToolWriting): ToolRecord | undefined {
  if (purpose !== "feedbackCreate") return tools.entries.map(recordOf).at(0);
  const post = board.posts.find(({ isDeleted }) => !isDeleted);
  return post && { id: post.id, title: String(post.values.title) };
}

function take(
  line: ToolLine,
  purpose: ToolWriting,
  args: ToolArguments,
  lagMs: number,
): ToolRecord | "missing" {
  const { tools, wire, events } = line;
  const listedAt = wire.time.now() + lagMs;
  if (purpose === "feedbackCreate") return makePost(line, args, listedAt);
  const texts = { title: String(args["title"]), text: String(args["text"]) };
  if (purpose === "changelogCreate") {
    const state = {
      madeBy: hashArguments(args),
      isPublished: false,
      isDeleted: false,
      listedAt,
      before: undefined,
    };
    const entry = { id: `e${tools.entries.length + 1}`, tag: String(args["tag"]), ...texts, ...state };
    tools.entries.push(entry);
    events.entryIsMade(entry, tools.entries);
    return recordOf(entry);
  }
  const entry = tools.entries.find(({ id, isDeleted }) => id === args["id"] && !isDeleted);
  if (entry === undefined) return "missing";
  Object.assign(entry, { before: recordOf(entry), listedAt });
  if (purpose === "changelogUpdate") Object.assign(entry, { ...texts, madeBy: hashArguments(args) });
  else entry.isPublished = true;
  events.entryIsChanged(entry, purpose);
  return recordOf(entry);
}

function makePost({ board, hub, events }: ToolLine, args: ToolArguments, listedAt: number): ToolRecord {
  const { issue } = sourceOf(hub, args);
  const texts = { title: String(args["title"]), description: String(args["description"]) };
  const post = board.make({ ...texts, status: "open", votes: 1, categoryId: "cat_1" }, listedAt);
  if (issue !== undefined) {
    post.madeFrom = issue;
    issue.became.push(post);
    events.postIsMade(post, issue);
  }
  return { id: post.id };
}

function recordOf({ id, title, text, isPublished }: Entry): ToolRecord {
  return { id, title, text, isPublished, url: `https://feedback.example.com/changelog/${id}` };
}

/** Whether somebody who knows nothing of it can tell what a made post was made of. */
export function isRecognisable({ values, isDeleted, madeFrom, listedAt }: BoardPost, now: number): boolean {
  if (isDeleted || madeFrom === undefined) return true;
  const { repository, number } = madeFrom;
  const text = String(values.description);
  return text.endsWith(`/${repository.name}/issues/${number}`) && listedAt <= now;
}
