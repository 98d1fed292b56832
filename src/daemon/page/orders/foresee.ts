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
export interface Question extends Foresight, Words {
  /** What is let go, or discarded. */
  readonly actions?: readonly HeldAction[];
}

interface Words {
  /** "Approve 2 actions of acme-app?" */
  readonly question: string;
  /** On the button that carries it out. */
  readonly button: string;
  /** What is said when it is carried out, without its full stop. */
  readonly done: string;
}

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
export async function foresee(
  order: PageOrder,
  looking: Looking,
  asking: Asking,
): Promise<Question | Nothing> {
  const { view, ledger, times } = looking;
  const { kind, project: key } = order;
  if (key === "") return foreseeAll(order, looking);
  const known = view.projects.find(({ project }) => project.key === key);
  if (known === undefined) return { nothing: `The config has no project ${key} any more.` };
  const id = ledger.memory.project(key)?.id;
  if (id === undefined && kind !== "run")
    return { nothing: `The project ${key} never ran, so nothing of it waits.` };
  const project = id ?? ("" as ProjectId);
  const pending = id === undefined ? [] : await ledger.requests.pending(id);
  const named = { key, project, post: order.post as PostId };
  const name = order.post === "" ? key : `${key}/${order.post}`;
  const sight = { ledger, now: times.now, pending };
  return ways[kind]({ ...sight, ...asking, looking, order, known, named, name });
}

/** What concerns every project at once. */
async function foreseeAll(
  { kind }: PageOrder,
  { view, ledger, times }: Looking,
): Promise<Question | Nothing> {
  const whole: Whole = { of: "all", projects: foundProjects(view.policy.projectKeys, ledger) };
  const sight = { ledger, now: times.now };
  if (kind === "pause") return askPauseWhole(sight, whole, "all projects");
  if (kind === "resume" || kind === "resume-discard")
    return askResumeWhole(sight, whole, "all projects", kind);
  return { nothing: "Name a project." };
}

async function askPauseWhole(sight: Sight, whole: Whole, name: string): Promise<Question | Nothing> {
  const seen = await foreseePauseWhole(sight, whole, "somebody resumes it");
  if (seen.since !== undefined && !seen.isResuming)
    return { nothing: whole.of === "all" ? "All projects are paused already." : "It is paused already." };
  return {
    ...seen,
    question: `Stop all writes for ${name}?`,
    button: "Stop all writes",
    done: `${name} ${are(whole)} paused: nothing is written`,
  };
}

async function askResumeWhole(
  sight: Sight,
  whole: Whole,
  name: string,
  way: Resuming,
): Promise<Question | Nothing> {
  const seen = await foreseeResumeWhole(sight, whole, way === "resume-discard");
  if ("nothing" in seen) return seen;
  if (seen.isResuming) return { nothing: already };
  const [question, button] = wordsOfResume(name, way);
  return { ...seen, question, button, done: `${name} ${are(whole)} resumed` };
}

function are({ of }: Whole): string {
  return of === "all" ? "are" : "is";
}

function wordsOfResume(name: string, way: Resuming): readonly [question: string, button: string] {
  return way === "resume"
    ? [`Resume ${name}?`, "Resume"]
    : [`Resume ${name}, and leave both sides as they are?`, "Resume without writing"];
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
const ways: Readonly<Record<OrderKind, (foreseeing: Foreseeing) => Promise<Question | Nothing>>> = {
  approve: (foreseeing) => answerHeld(foreseeing, false),
  discard: (foreseeing) => answerHeld(foreseeing, true),
  retry: (foreseeing) => askRetry(foreseeing, "retry"),
  release: (foreseeing) => askRetry(foreseeing, "release"),
  link: askLink,
  unlink: async ({ named, name, order, looking, ...sight }) => {
    const issue = order.issue === "" ? undefined : order.issue;
    return ask(await foreseeUnlink(sight, named, issue, looking.view.trackerUrl), ({ names }) => ({
      question: `End the link of ${name} to ${names.join(", ")}?`,
      button: "Unlink",
      done: `The link of ${name} to ${names.join(", ")} ends`,
    }));
  },
  async pause({ named, name, order, ...sight }) {
    if (order.post === "") return askPauseWhole(sight, { of: "project", projects: [named] }, name);
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

/** Adds to what is foreseen how the page asks for it. */
function ask<Seen extends Foresight>(
  seen: Seen | Nothing,
  wordsOf: (seen: Seen) => Words & Partial<Question>,
): Question | Nothing {
  return "nothing" in seen ? seen : { ...seen, ...wordsOf(seen) };
}

async function answerHeld(
  { order, named, name, ...sight }: Foreseeing,
  isDiscard: boolean,
): Promise<Question | Nothing> {
  const tag = tagOf(order.post);
  if (tag !== undefined) return askPublish(sight, named, tag);
  const posts = order.post === "" ? [] : [order.post];
  return ask(await foreseeHeld(sight, named, posts, isDiscard), ({ hold, counted, done }) => {
    if (isDiscard) return { question: `Discard ${counted} of ${name}?`, button: "Discard", done };
    if (hold === undefined) return { question: `Approve ${counted} of ${name}?`, button: "Approve", done };
    const question = `Is the board of ${name} as it looks?`;
    return { question, button: "Accept the board as it is", done };
  });
}

async function askPublish(sight: Sight, named: NamedPost, tag: string): Promise<Question | Nothing> {
  return ask(await foreseePublish(sight, named, tag), ({ title, isDraft }) => ({
    question: `${isDraft ? "Make" : "Publish"} "${title}" (${tag}) of ${named.key}?`,
    button: isDraft ? "Make" : "Publish",
    done: `changelog ${tag} is approved: the next run ${isDraft ? "makes the draft" : "publishes it, or says when"}`,
  }));
}

async function askLink({
  looking,
  order,
  known,
  named,
  name,
  tracker,
  bounds,
  ...sight
}: Foreseeing): Promise<Question | Nothing> {
  const { trackerUrl, projects } = looking.view;
  const issue = findIssue(
    order.issue,
    trackerUrl,
    projects.map(({ project }) => project.settings),
    sight.ledger,
  );
  const { several } = known.project.settings;
  const seen = await foreseeLink(sight, named, issue, several, () => askIssue(tracker, issue, bounds));
  return ask(seen, ({ effects, seen: { state } }) => ({
    question: `Link ${name} to ${issue.repository}#${issue.number}?`,
    effects: [`GitHub has this issue, and it is ${state}.`, ...effects],
    button: "Link",
    done: `${name} is linked to ${issue.repository}#${issue.number}`,
  }));
}

const wordsOfRetry = {
  retry: { button: "Retry", question: (name: string) => `Try ${name} again?`, done: "tried again" },
  release: { button: "Release", question: (name: string) => `Release ${name}?`, done: "released" },
} as const;

/** Of one post; or all that is parked, or quarantined, of a project. */
async function askRetry(
  { named, name, order, ...sight }: Foreseeing,
  kind: RetryKind,
): Promise<Question | Nothing> {
  const tag = tagOf(order.post);
  if (tag !== undefined)
    return ask(await foreseeRetryEntry(sight, named, tag), () => ({
      question: `Try changelog ${tag} of ${named.key} again?`,
      button: "Retry",
      done: `changelog ${tag} is tried again`,
    }));
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

async function askResume(
  { named, name, order, ...sight }: Foreseeing,
  way: Resuming,
): Promise<Question | Nothing> {
  if (order.post === "") return askResumeWhole(sight, { of: "project", projects: [named] }, name, way);
  const seen = await foreseeResume(sight, [named], way);
  if ("nothing" in seen) return seen;
  if (isAsked(sight.pending, way, named.post)) return { nothing: already };
  const [question, button] = wordsOfResume(name, way);
  return { ...seen, question, button, done: `${name} is resumed` };
}
