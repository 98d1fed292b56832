import type { LinkedIssue, Row } from "../model/link.ts";
import type { Post, PostField } from "../model/post.ts";
import { voteLabel } from "./board-rules/vote-labels.ts";
import type { CreateIssue, UpdateIssue } from "./ground/action.ts";
import { isUnread } from "./ground/fields.ts";
import { seenAtOf } from "./ground/issue-fields.ts";
import { absence } from "./ground/obstacle.ts";
import type { Render, RenderedIssue, Settings } from "./ground/settings.ts";
import { labelsFor, routePost } from "./select.ts";

/** The issue that a post asks for, without what follows from it. */
export function draftIssue(row: Row, settings: Settings, render: Render, reason: string): CreateIssue {
  const { title, body, votes, titleHash, blockHash } = render(row.post, []);
  return {
    kind: "create-issue",
    post: row.post.id,
    repo: routePost(row.post, settings),
    title,
    body,
    votes,
    labels: labelsFor(row.post, settings),
    voteLabel: voteLabel(row.post.values.votes, settings),
    assignees: settings.issue.assignees,
    milestone: settings.issue.milestone,
    type: settings.issue.type,
    content: { titleHash, blockHash },
    reason,
    followUp: undefined,
  };
}

/**
 * The texts that no longer say what the post says. Only issues that our account opened have a text of ours; of an issue
 * that stands for several posts it is the text of the first, the one whose link remembers it. What a list leaves out says nothing.
 *
 * @param seen the fields that any record of the last pull showed.
 */
export function followContent(
  row: Row,
  settings: Settings,
  render: Render,
  seen: ReadonlySet<PostField>,
): readonly UpdateIssue[] {
  if (absence(row) !== undefined) return [];
  const hasTitle = String(row.post.values.title ?? "").trim() !== "";
  const hasDescription = seen.has("description") && !isUnread(row.post, "description", seen);
  const follows = {
    title: hasTitle && isFollowed("title", settings),
    description: hasDescription && isFollowed("description", settings),
  };
  if (!follows.title && !follows.description) return [];
  return row.links
    .filter(({ isGone }) => !isGone)
    .flatMap((linked) => updateOf(linked, follows, (others) => render(row.post, others)));
}

function isFollowed(part: keyof Follows, { content }: Settings): boolean {
  return (typeof content === "string" ? content : content[part]) !== "once";
}

/** Which parts of an issue's text follow the post. */
interface Follows {
  readonly title: boolean;
  readonly description: boolean;
}

function updateOf(
  linked: LinkedIssue,
  follows: Follows,
  render: (others: readonly Post[]) => RenderedIssue,
): readonly UpdateIssue[] {
  const { link, text, known } = linked;
  if (typeof text === "string") return [];
  const { content, left, others } = text;
  const { title, block, votes, posts, ...rendered } = render(others);
  // What does not follow stays as it was written, also for the day when it does.
  const titleHash = follows.title ? rendered.titleHash : content.titleHash;
  const blockHash = follows.description ? rendered.blockHash : content.blockHash;
  const isTitle = titleHash !== content.titleHash;
  const isBlock = blockHash !== content.blockHash;
  if (!isTitle && !isBlock) return [];
  const isLeft = titleHash === left?.titleHash && blockHash === left.blockHash;
  const seenAt = seenAtOf(known);
  if (isLeft && (left.seenAt === undefined || seenAt <= left.seenAt)) return [];
  const parts = [...(isTitle ? ["title"] : []), ...(isBlock ? ["text"] : [])].join(" and ");
  return [
    {
      kind: "update-issue",
      post: link.post,
      issue: link.issue,
      title: isTitle ? title : undefined,
      block: isBlock ? block : undefined,
      votes,
      posts,
      previous: content,
      content: { titleHash, blockHash },
      seenAt,
      reason: `the ${parts} that post and config make changed since #${link.issue.number} was last written`,
    },
  ];
}
