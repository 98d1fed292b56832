import { hash } from "node:crypto";
import type { Ledger } from "../../../ledger/ledger.ts";
import type { NewRequest, PersonRequest } from "../../../ledger/requests.ts";
import type { HeldAction } from "../../../ledger/rows.ts";
import type { PostId, ProjectId } from "../../../model/post.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { isApprovedBy } from "../../../sync/ground/wanted.ts";
import {
  askIssue,
  chooseLinked,
  describeLinking,
  describeOthers,
  describeUnlinking,
  explainKnownLink,
  linkedIssues,
  requestLink,
} from "../../../sync/orders/ask-link.ts";
import { type Held, readHeld, requestsForHeld, sayMailed, votersOfHeld } from "../../../sync/orders/held.ts";
import { configuredName, parseIssue, showIssue } from "../../../sync/orders/named-issue.ts";
import {
  effectOf,
  explainWait,
  type NamedPost,
  nothingWaits,
  votersOfPost,
} from "../../../sync/orders/waits-of-post.ts";
import {
  describeOpen,
  effectOfResuming,
  listWaiting,
  type Resuming,
  type WhatWaits,
} from "../../../sync/orders/what-waits.ts";
import { describePlanned } from "../../../sync/tell/waiting-lines.ts";
import type { Tracker } from "../../../tracker/tracker.ts";
import type { PageProject, PageView } from "../view.ts";
import type { OrderKind, PageOrder } from "./order.ts";

/** What an order will do, before it is carried out. */
export interface Foresight {
  /** "Let 2 actions of acme-app go?" */
  readonly question: string;
  /** What happens, as sentences. */
  readonly effects: readonly string[];
  /** What is let go, or discarded. */
  readonly actions: readonly HeldAction[];
  /** "202 voters will be mailed." */
  readonly mailed: string;
  /** On the button that carries it out. */
  readonly button: string;
  /** What the next run is asked for; none where the run itself is the order. */
  readonly requests: readonly NewRequest[];
  /** The post that is paused at once. */
  readonly pauses?: NamedPost;
  /** What is said when it is carried out, without its full stop. */
  readonly done: string;
}

/** There is nothing to do, and why. */
export interface Nothing {
  readonly nothing: string;
}

/** What is looked at for it. */
export interface Sight {
  readonly view: PageView;
  readonly ledger: Ledger;
  /** Epoch ms. */
  readonly now: number;
  readonly tracker: Pick<Tracker, "repository" | "readIssue">;
  readonly bounds: ReadBounds;
}

interface Foreseeing extends Sight {
  readonly order: PageOrder;
  readonly known: PageProject;
  readonly project: ProjectId;
  /** What people have asked for already, and no run has done yet. */
  readonly pending: readonly PersonRequest[];
  readonly asked: { readonly project: ProjectId; readonly at: number; readonly by: "page" };
}

/**
 * What an order would do now; nothing of it is done.
 *
 * @throws ConfigError where it names an issue that can't be linked, or none; RemoteError where GitHub can't be asked for it.
 */
export async function foresee(order: PageOrder, sight: Sight): Promise<Foresight | Nothing> {
  const { view, ledger, now } = sight;
  const known = view.projects.find(({ project }) => project.key === order.project);
  if (known === undefined) return { nothing: `The config has no project ${order.project} any more.` };
  const project = ledger.memory.project(order.project)?.id;
  if (project === undefined && order.kind !== "run")
    return { nothing: `The project ${order.project} never ran, so nothing of it waits.` };
  const id = project ?? ("" as ProjectId);
  const pending = project === undefined ? [] : await ledger.requests.pending(id);
  const asked = { project: id, at: now, by: "page" } as const;
  return ways[order.kind]({ ...sight, order, known, project: id, pending, asked });
}

/** By this it is known whether what was shown is still what would happen. The reasons why it is held may change meanwhile. */
export function printOf({ question, effects, actions, mailed }: Foresight): string {
  const shown = actions.map(({ post, kind, signature, title, planned }) => [
    post,
    kind,
    signature,
    title,
    planned ?? null,
  ]);
  return hash("sha256", JSON.stringify([question, effects, shown, mailed]));
}

/** One entry an order. */
const ways: Readonly<Record<OrderKind, (foreseeing: Foreseeing) => Promise<Foresight | Nothing>>> = {
  approve: (foreseeing) => answerHeld(foreseeing, false),
  discard: (foreseeing) => answerHeld(foreseeing, true),
  retry: (foreseeing) => answerWait(foreseeing, "retry"),
  release: (foreseeing) => answerWait(foreseeing, "release"),
  link: foreseeLink,
  unlink: foreseeUnlink,
  pause: foreseePause,
  resume: (foreseeing) => foreseeResume(foreseeing, "resume"),
  "resume-discard": (foreseeing) => foreseeResume(foreseeing, "resume-discard"),
  run: foreseeRun,
};

const noMail = "No voter will be mailed.";
const already = "That is asked for already, and the next run does it.";

async function answerHeld(foreseeing: Foreseeing, isDiscard: boolean): Promise<Foresight | Nothing> {
  const { ledger, order, project, pending, asked } = foreseeing;
  const isWhole = order.post === "";
  const found = await readHeld(ledger, { key: order.project, project }, isWhole ? [] : [order.post]);
  const held: Held = {
    actions: found.actions.filter((action) => !isAnswered(pending, action)),
    hold: pending.some(({ kind }) => kind === "accept-size") ? undefined : found.hold,
  };
  if (held.actions.length === 0 && held.hold === undefined)
    return {
      nothing: found.actions.length > 0 || found.hold !== undefined ? already : "Nothing is held any more.",
    };
  const requests = requestsForHeld(held, { isDiscard, isWhole }, asked);
  if (held.hold !== undefined && !isDiscard) return acceptSize(order, held.hold, requests);
  const { actions } = held;
  const what = `${countOf(actions, "action")} of ${isWhole ? order.project : `${order.project}/${order.post}`}`;
  if (isDiscard)
    return {
      question: `Discard ${what}?`,
      effects: [
        "Both sides stay as they are, and what differs now is no reason for a write any more.",
        ...(held.hold === undefined ? [] : ["What the board no longer lists counts as missing from now on."]),
      ],
      actions,
      mailed: noMail,
      button: "Discard",
      requests,
      done: `${countOf(actions, "action")} discarded: both sides stay as they are`,
    };
  return {
    question: `Approve ${what}?`,
    effects: [
      "The run that starts at once lets these very actions go, and no others. What is not asked for any more by then is left out.",
    ],
    actions,
    mailed: sayMailed(votersOfHeld(actions)),
    button: "Approve",
    requests,
    done: `${countOf(actions, "action")} approved`,
  };
}

function acceptSize({ project }: PageOrder, hold: string, requests: readonly NewRequest[]): Foresight {
  return {
    question: `Is the board of ${project} as small as it looks?`,
    effects: [
      hold,
      "The board's present size is the new measure. What it no longer lists counts as missing then.",
    ],
    actions: [],
    mailed: noMail,
    button: "Accept the present size",
    requests,
    done: "The board's present size is accepted",
  };
}

function isAnswered(pending: readonly PersonRequest[], held: HeldAction): boolean {
  return pending.some((request) => {
    if (request.kind === "discard") return request.posts.includes(held.post);
    return request.kind === "approve" && request.actions.some((one) => isApprovedBy(one, held));
  });
}

async function answerWait(foreseeing: Foreseeing, answer: "retry" | "release"): Promise<Foresight | Nothing> {
  const { ledger, order, pending, asked, now } = foreseeing;
  const named = namedPostOf(foreseeing);
  if (pending.some((request) => request.kind === answer && request.posts.includes(named.post)))
    return { nothing: already };
  const waits = await explainWait(ledger, answer, named, now);
  if (waits === undefined) return { nothing: nothingWaits[answer] };
  const voters = await votersOfPost(ledger, named, now);
  const name = `${order.project}/${order.post}`;
  return {
    question: answer === "retry" ? `Try ${name} again?` : `Release ${name}?`,
    effects: [asSentence(waits), asSentence(effectOf[answer])],
    actions: [],
    mailed: sayAtMost(voters),
    button: answer === "retry" ? "Retry" : "Release",
    requests: [{ ...asked, kind: answer, posts: [named.post] }],
    done: answer === "retry" ? `${name} is tried again` : `${name} is released`,
  };
}

/** What follows is decided by the run, so only the most that can happen is known. */
function sayAtMost(voters: number | null): string {
  if (voters === null)
    return "If its status changes, its voters will be mailed; the board doesn't show how many there are.";
  if (voters === 0) return noMail;
  return `At most ${voters.toLocaleString("en")} ${voters === 1 ? "voter" : "voters"} will be mailed: only if its status changes.`;
}

async function foreseeLink(foreseeing: Foreseeing): Promise<Foresight | Nothing> {
  const { view, ledger, order, known, asked, now, tracker, bounds } = foreseeing;
  const post = namedPostOf(foreseeing);
  const named = parseIssue(order.issue, view.trackerUrl);
  const settings = view.projects.map(({ project }) => project.settings);
  const issue = { ...named, repository: configuredName(settings, named) };
  const reason = await explainKnownLink(ledger, post, issue, now);
  if (reason !== undefined) return { nothing: asSentence(reason) };
  const seen = await askIssue(tracker, issue, bounds);
  const others = (await linkedIssues(ledger, post, now)).map((one) => showIssue(ledger, one));
  const name = `${issue.repository}#${issue.number}`;
  const also = describeOthers(others, known.project.settings.several).trim();
  return {
    question: `Link ${order.project}/${order.post} to ${name}?`,
    effects: [
      `GitHub has this issue, and it is ${seen.state}.`,
      asSentence(describeLinking(name)),
      ...(also === "" ? [] : [also]),
    ],
    actions: [],
    mailed: noMail,
    button: "Link",
    requests: [requestLink(post, issue, seen, asked)],
    done: `${order.project}/${order.post} is linked to ${name}`,
  };
}

async function foreseeUnlink(foreseeing: Foreseeing): Promise<Foresight | Nothing> {
  const { view, ledger, order, pending, asked, now } = foreseeing;
  const named = namedPostOf(foreseeing);
  const isAsked = pending.some((request) => request.kind === "unlink" && request.post === named.post);
  if (isAsked) return { nothing: already };
  const linked = await linkedIssues(ledger, named, now);
  const issues =
    order.issue === "" ? linked : chooseLinked(ledger, named, linked, order.issue, view.trackerUrl);
  const names = issues.map((issue) => showIssue(ledger, issue));
  const effect = describeUnlinking(names, linked.length - issues.length);
  if (issues.length === 0) return { nothing: asSentence(effect) };
  return {
    question: `End the link of ${order.project}/${order.post} to ${names.join(", ")}?`,
    effects: [asSentence(effect)],
    actions: [],
    mailed: noMail,
    button: "Unlink",
    requests: [{ ...asked, kind: "unlink", post: named.post, issues }],
    done: `The link of ${order.project}/${order.post} to ${names.join(", ")} ends`,
  };
}

async function foreseePause(foreseeing: Foreseeing): Promise<Foresight | Nothing> {
  const { ledger, order, now } = foreseeing;
  const named = namedPostOf(foreseeing);
  const waits = await listWaiting(ledger, named, now);
  const name = `${order.project}/${order.post}`;
  if (waits.since !== undefined) return { nothing: `${name} is paused already.` };
  return {
    question: `Pause ${name}?`,
    effects: [
      `Nothing more is written for it, to either side, until somebody resumes it.${describeOpen(waits)}`,
      ...tellWaiting(waits),
    ],
    actions: [],
    mailed: noMail,
    button: "Pause",
    requests: [],
    pauses: named,
    done: `${name} is paused`,
  };
}

async function foreseeResume(foreseeing: Foreseeing, way: Resuming): Promise<Foresight | Nothing> {
  const { ledger, order, pending, asked, now } = foreseeing;
  const named = namedPostOf(foreseeing);
  const waits = await listWaiting(ledger, named, now);
  const name = `${order.project}/${order.post}`;
  if (waits.since === undefined) return { nothing: `${name} is not paused.` };
  if (
    pending.some(
      ({ kind, ...request }) => kind === way && "posts" in request && request.posts.includes(named.post),
    )
  )
    return { nothing: already };
  const isDiscard = way === "resume-discard";
  return {
    question: isDiscard ? `Resume ${name}, and leave both sides as they are?` : `Resume ${name}?`,
    effects: [`${asSentence(effectOfResuming[way])}${describeOpen(waits)}`, ...tellWaiting(waits)],
    actions: [],
    mailed: isDiscard ? noMail : sayMailed(waits.voters),
    button: isDiscard ? "Resume without writing" : "Resume",
    requests: [{ ...asked, kind: way, posts: [named.post] }],
    done: `${name} is resumed`,
  };
}

/** What has come together, as of the last run. */
function tellWaiting({ actions }: WhatWaits): readonly string[] {
  if (actions.length === 0) return ["As of the last run nothing waits for it."];
  return actions.map((action) => {
    const place = action.place === null ? "" : `${action.place}: `;
    return asSentence(`${place}${describePlanned(action, true)}`);
  });
}

async function foreseeRun({ order, known }: Foreseeing): Promise<Foresight> {
  const { statuses } = known.project.settings.guard;
  return {
    question: `Run ${order.project} now?`,
    effects: [
      "The run reads both sides and writes what they ask for, as a run on schedule does. What is held stays held.",
    ],
    actions: [],
    mailed: `How many voters will be mailed is known when both sides have been read: the guard lets at most ${statuses} changes of status go in an hour, and holds more than that for you.`,
    button: "Run now",
    requests: [],
    done: `A run of ${order.project} starts`,
  };
}

function namedPostOf({ order, project }: Foreseeing): NamedPost {
  return { key: order.project, project, post: order.post as PostId };
}

function countOf(things: readonly unknown[], noun: string): string {
  return `${things.length.toLocaleString("en")} ${noun}${things.length === 1 ? "" : "s"}`;
}

function asSentence(words: string): string {
  const begun = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
