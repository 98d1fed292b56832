import { hash } from "node:crypto";
import type { HeldAction } from "../../../ledger/rows.ts";
import type { PostId, ProjectId } from "../../../model/post.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { foreseeHeld } from "../../../sync/orders/approve.ts";
import {
  already,
  type Foresight,
  foundProjects,
  isAsked,
  type NamedPost,
  type Nothing,
  type Sight,
} from "../../../sync/orders/foresight.ts";
import { askIssue, findIssue, foreseeLink, foreseeUnlink } from "../../../sync/orders/link.ts";
import {
  foreseePause,
  foreseePauseWhole,
  foreseeResume,
  foreseeResumeWhole,
  type Resuming,
  type Whole,
} from "../../../sync/orders/pause.ts";
import { foreseePublish, foreseeRetryEntry, tagOf } from "../../../sync/orders/publish.ts";
import { foreseeRetry, listRetryable, type RetryKind } from "../../../sync/orders/retry.ts";
import { count } from "../../../sync/tell/words.ts";
import type { Tracker } from "../../../tracker/tracker.ts";
import type { Looking, PageProject } from "../view.ts";
import type { OrderKind, PageOrder } from "./order.ts";

/** What an order will do, and how the page asks whether it is to be done. */
export interface Question extends Foresight {
  /** "Approve 2 actions of acme-app?" */
  readonly question: string;
  /** On the button that carries it out. */
  readonly button: string;
  /** What is said when it is carried out, without its full stop. */
  readonly done: string;
  /** What is let go, or discarded. */
  readonly actions?: readonly HeldAction[];
}

type Answer = Promise<Question | Nothing>;

/** What GitHub is asked with, for an issue that is to be linked. */
interface Asking {
  readonly tracker: Pick<Tracker, "repository" | "readIssue">;
  readonly bounds: ReadBounds;
}

interface Foreseeing extends Required<Sight>, Asking {
  readonly looking: Looking;
  readonly order: PageOrder;
  readonly known: PageProject;
  readonly named: NamedPost;
  /** Of the project, or the post. */
  readonly name: string;
}

/**
 * What an order would do now; nothing of it is done.
 *
 * @throws ConfigError where it names an issue that can't be linked, or none; RemoteError where GitHub can't be asked for it.
 */
export async function foresee(order: PageOrder, looking: Looking, asking: Asking): Answer {
  const { view, ledger, times } = looking;
  const { kind, project: key, post } = order;
  const sight = { ledger, now: times.now };
  const wayOfWhole = waysOfWhole[kind];
  if (key === "") {
    const whole: Whole = { of: "all", projects: foundProjects(view.policy.projectKeys, ledger) };
    return wayOfWhole?.(sight, whole, "all projects") ?? { nothing: "Name a project." };
  }
  const known = view.projects.find(({ project }) => project.key === key);
  if (known === undefined) return { nothing: `The config has no project ${key} any more.` };
  const id = ledger.memory.project(key)?.id;
  if (id === undefined && kind !== "run")
    return { nothing: `The project ${key} never ran, so nothing of it waits.` };
  const named = { key, project: id ?? ("" as ProjectId), post: post as PostId };
  if (post === "" && wayOfWhole) return wayOfWhole(sight, { of: "project", projects: [named] }, key);
  const pending = id === undefined ? [] : await ledger.requests.pending(id);
  const name = post === "" ? key : `${key}/${post}`;
  return ways[kind]({ ...sight, pending, ...asking, looking, order, known, named, name });
}

type WayOfWhole = (sight: Sight, whole: Whole, name: string) => Answer;

/** What concerns a project, or every one, at once. */
const waysOfWhole: Readonly<Partial<Record<OrderKind, WayOfWhole>>> = {
  async pause(sight, whole, name) {
    const seen = await foreseePauseWhole(sight, whole, "somebody resumes it");
    if (seen.since !== undefined && !seen.isResuming)
      return { nothing: whole.of === "all" ? "All projects are paused already." : "It is paused already." };
    const done = `${name} ${are(whole)} paused: nothing is written`;
    return { ...seen, question: `Stop all writes for ${name}?`, button: "Stop all writes", done };
  },
  resume: (sight, whole, name) => resumeWhole(sight, whole, name, "resume"),
  "resume-discard": (sight, whole, name) => resumeWhole(sight, whole, name, "resume-discard"),
};

async function resumeWhole(sight: Sight, whole: Whole, name: string, way: Resuming): Answer {
  const seen = await foreseeResumeWhole(sight, whole, way === "resume-discard");
  if ("nothing" in seen) return seen;
  if (seen.isResuming) return { nothing: already };
  return { ...seen, ...wordsOfResume(name, way), done: `${name} ${are(whole)} resumed` };
}

function are({ of }: Whole): string {
  return of === "all" ? "are" : "is";
}

function wordsOfResume(name: string, way: Resuming): Pick<Question, "question" | "button"> {
  return way === "resume"
    ? { question: `Resume ${name}?`, button: "Resume" }
    : { question: `Resume ${name}, and leave both sides as they are?`, button: "Resume without writing" };
}

/** By this it is known whether what was shown is still what would happen. The words of why it is held may change meanwhile. */
export function printOf({ question, effects, actions = [], notified }: Question): string {
  const shown = actions.map((action) => {
    const { post, kind, signature, cause, title, planned = null } = action;
    return [post, kind, signature, cause, title, planned];
  });
  return hash("sha256", JSON.stringify([question, effects, shown, notified]));
}

/** One entry an order. */
const ways: Readonly<Record<OrderKind, (foreseeing: Foreseeing) => Answer>> = {
  approve: (foreseeing) => answerHeld(foreseeing, false),
  discard: (foreseeing) => answerHeld(foreseeing, true),
  retry: (foreseeing) => askRetry(foreseeing, "retry"),
  release: (foreseeing) => askRetry(foreseeing, "release"),
  async link({ looking, order, known, named, name, tracker, bounds, ...sight }) {
    const { trackerUrl, projects } = looking.view;
    const routed = projects.map(({ project }) => project.settings);
    const issue = findIssue(order.issue, trackerUrl, routed, sight.ledger);
    const { several } = known.project.settings;
    const seen = await foreseeLink(sight, named, issue, several, () => askIssue(tracker, issue, bounds));
    if ("nothing" in seen) return seen;
    const link = `${name} to ${issue.repository}#${issue.number}`;
    const effects = [`GitHub has this issue, and it is ${seen.seen.state}.`, ...seen.effects] as const;
    const done = `${name} is linked to ${issue.repository}#${issue.number}`;
    return { ...seen, effects, question: `Link ${link}?`, button: "Link", done };
  },
  async unlink({ named, name, order: { issue }, looking, ...sight }) {
    const { trackerUrl } = looking.view;
    const seen = await foreseeUnlink(sight, named, issue === "" ? undefined : issue, trackerUrl);
    if ("nothing" in seen) return seen;
    const link = `${name} to ${seen.names.join(", ")}`;
    const done = `The link of ${link} ends`;
    return { ...seen, question: `End the link of ${link}?`, button: "Unlink", done };
  },
  async pause({ named, name, ...sight }) {
    const seen = await foreseePause(sight, [named], "somebody resumes it");
    if (seen.posts.some(({ since, isResuming }) => since !== undefined && !isResuming))
      return { nothing: `${name} is paused already.` };
    return { ...seen, question: `Pause ${name}?`, button: "Pause", done: `${name} is paused` };
  },
  resume: (foreseeing) => askResume(foreseeing, "resume"),
  "resume-discard": (foreseeing) => askResume(foreseeing, "resume-discard"),
  async run({ name, known }) {
    const { statuses } = known.project.settings.guard;
    return {
      question: `Run ${name} now?`,
      effects: [
        "The run reads both sides and writes what they ask for, as a run on schedule does. What needs you still does.",
      ],
      notified: `How many voters will be notified is known when both sides have been read: the guard lets at most ${statuses} changes of status go in an hour, and more than that needs you.`,
      button: "Run now",
      asks: () => [],
      done: `A run of ${name} starts`,
    };
  },
};

async function answerHeld({ order, named, name, ...sight }: Foreseeing, isDiscard: boolean): Answer {
  const tag = tagOf(order.post);
  if (tag !== undefined) return askPublish(sight, named, tag);
  const seen = await foreseeHeld(sight, named, order.post === "" ? [] : [order.post], isDiscard);
  if ("nothing" in seen) return seen;
  const { hold, counted } = seen;
  if (isDiscard) return { ...seen, question: `Discard ${counted} of ${name}?`, button: "Discard" };
  if (hold === undefined) return { ...seen, question: `Approve ${counted} of ${name}?`, button: "Approve" };
  return { ...seen, question: `Is the board of ${name} as it looks?`, button: "Accept the board as it is" };
}

async function askPublish(sight: Sight, named: NamedPost, tag: string): Answer {
  const seen = await foreseePublish(sight, named, tag);
  if ("nothing" in seen) return seen;
  const [button, next] = seen.isDraft
    ? (["Make", "makes the draft"] as const)
    : (["Publish", "publishes it, or says when"] as const);
  const question = `${button} "${seen.title}" (${tag}) of ${named.key}?`;
  return { ...seen, question, button, done: `changelog ${tag} is approved: the next run ${next}` };
}

const wordsOfRetry = {
  retry: { button: "Retry", question: (name: string) => `Try ${name} again?`, done: "tried again" },
  release: { button: "Release", question: (name: string) => `Release ${name}?`, done: "released" },
} as const;

/** Of one post; or all that is parked, or quarantined, of a project. */
async function askRetry({ named, name, order, ...sight }: Foreseeing, kind: RetryKind): Answer {
  const tag = tagOf(order.post);
  if (tag !== undefined) {
    const seen = await foreseeRetryEntry(sight, named, tag);
    if ("nothing" in seen) return seen;
    const question = `Try changelog ${tag} of ${named.key} again?`;
    return { ...seen, question, button: "Retry", done: `changelog ${tag} is tried again` };
  }
  const isWhole = order.post === "";
  const posts = isWhole ? await listRetryable(sight.ledger, kind, named) : [named];
  const seen = await foreseeRetry(sight, kind, posts, isWhole);
  const [effect, ...lines] = seen.effects;
  const [first] = seen.posts;
  if (seen.asked === 0) return { nothing: first?.waits === null ? first.nothing : effect };
  const more = lines.length - mostTold;
  const effects = [
    effect,
    ...lines.slice(0, mostTold),
    ...(more > 0 ? [`And ${more.toLocaleString("en")} more`] : []),
  ] as const;
  const { button, question, done } = wordsOfRetry[kind];
  const what = isWhole ? `${count(seen.asked, "post")} of ${name}` : name;
  const verb = isWhole ? ":" : " is";
  return { ...seen, effects, question: question(what), button, done: `${what}${verb} ${done}` };
}

/** So many posts of an order for all of them are named. */
const mostTold = 50;

async function askResume({ named, name, ...sight }: Foreseeing, way: Resuming): Answer {
  const seen = await foreseeResume(sight, [named], way);
  if ("nothing" in seen) return seen;
  if (isAsked(sight.pending, way, named.post)) return { nothing: already };
  return { ...seen, ...wordsOfResume(name, way), done: `${name} is resumed` };
}
