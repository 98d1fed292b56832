import type { ReportedError } from "../ground/reports.ts";
import { type Group, withoutPost } from "./waiting-lines.ts";

/** A failure of a run, and where; `status --json` has null where a report leaves out. */
export interface FailedWhere extends Pick<ReportedError, "code" | "message"> {
  readonly project: string;
  readonly post?: string | null;
  readonly issue?: string | null;
  readonly advice?: string | null;
}

/** What went wrong in the same way at several places. */
export interface AlikeFailures extends Group<FailedWhere> {
  /** Of several: without the name of any issue. */
  readonly message: string;
}

/**
 * Failures that say the same, but for their own post and issue, told once, where the first of them stood. Those of posts and issues
 * stay with their project.
 */
export function groupFailures(failures: readonly FailedWhere[]): readonly AlikeFailures[] {
  const groups = Map.groupBy(failures, (failure) =>
    JSON.stringify([isOfProject(failure) ? "" : failure.project, failure.code, commonOf(failure)]),
  );
  return [...groups.values()].flatMap((all) =>
    all
      .slice(0, 1)
      .map((first) => ({ first, all, message: all.length === 1 ? first.message : messageOf(first, all) })),
  );
}

/** Where: "acme-app, post p1, acme/app#3", "acme-app, 11 posts", "acme-app and acme-api". */
export function nameFailed({ first, all }: AlikeFailures): string {
  if (isOfProject(first)) return join(all.map(({ project }) => project));
  const { project, post, issue } = first;
  if (all.length === 1) return [project, post && `post ${post}`, issue].filter(Boolean).join(", ");
  return `${project}, ${all.length.toLocaleString("en")} ${post == null ? "issues" : "posts"}`;
}

/** Which: "p1, p2, p3, p4, p5 and 6 more"; nothing where there is one, or they are whole projects. */
export function listFailed({ all }: AlikeFailures): string {
  return all.length === 1 ? "" : join(all.flatMap(({ post, issue }) => post ?? issue ?? []));
}

/** So many of a group are named. */
const mostNamed = 5;

function join(names: readonly string[]): string {
  const more = names.length - mostNamed;
  if (more > 0) return `${names.slice(0, mostNamed).join(", ")} and ${more.toLocaleString("en")} more`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function isOfProject({ post, issue }: FailedWhere): boolean {
  return post == null && issue == null;
}

/** Of several: posts of one issue say its name alike. */
function messageOf(first: FailedWhere, all: readonly FailedWhere[]): string {
  const messages = new Set(all.map(withoutIssue));
  return messages.size === 1 ? withoutIssue(first) : commonOf(first);
}

function commonOf(failure: FailedWhere): string {
  return withoutPost(withoutIssue(failure), failure.post);
}

/** A message that names its own issue says the same of every other one. */
function withoutIssue({ message, issue }: FailedWhere): string {
  if (issue == null) return message;
  return message.split(issue).reduce((before, after) => {
    // `acme/app#1` is no part of `acme/app#12`.
    const isOther = /^\d/.test(after);
    const name = isOther ? issue : before === "" || /[.!?] $/.test(before) ? "The issue" : "the issue";
    return `${before}${name}${after}`;
  });
}
