import type { IssueRef } from "../../src/model/issue.ts";
import type { PostId } from "../../src/model/post.ts";
import type { HubIssue, HubServer } from "./github-server.ts";
import type { Check } from "./watcher.ts";

/** What people have ordered of links. An order may still wait, or come to nothing: it explains a change, and asks for none. */
export interface LinkOrders {
  readonly check: Check;
  /** Whether anybody has ordered a link of this post, or the end of one. */
  isOrdered(post: PostId): boolean;
  /** Whether anybody has ended a link of this post, or discarded what was held of it. */
  isUnwanted(post: PostId): boolean;
  isLinked(post: PostId, issue: HubIssue | undefined): boolean;
  /** The issue that the board's tool has made a post of. */
  madeFrom(post: PostId): HubIssue | undefined;
  isUnlinked(post: PostId, issue: HubIssue | undefined): boolean;
  /** Whether another issue may be opened for a post beside this one, which it was unlinked from. */
  isGivenUp(post: PostId, issue: HubIssue): boolean;
  /** The posts that people have linked to an issue, or have wanted to; and what it has become. */
  postsOf(issue: HubIssue): readonly PostId[];
  /** Whether anybody has said `retry` of a post, or of an issue that is to become one. */
  isRetried(name: string): boolean;
  /** Whether a copy was put back that may not know of such an order. */
  isForgotten(post: PostId): boolean;
  /** The posts whose links people have a say in. */
  posts(): readonly PostId[];
}

export function createLinkOrders(hub: HubServer): LinkOrders {
  const linked = new Map<PostId, Set<HubIssue>>();
  const unlinked = new Map<PostId, Set<HubIssue>>();
  const made = new Map<PostId, HubIssue>();
  const discarded = new Set<PostId>();
  const retried = new Set<string>();
  const forgotten = new Set<PostId>();
  const givenUp = new Map<PostId, Set<HubIssue>>();
  const add = (to: Map<PostId, Set<HubIssue>>, post: PostId, issue: HubIssue | undefined): void => {
    if (issue !== undefined) to.set(post, (to.get(post) ?? new Set()).add(issue));
  };
  const giveUp = (post: PostId): void => {
    for (const issue of unlinked.get(post) ?? []) add(givenUp, post, issue);
  };
  const has = (map: Map<PostId, Set<HubIssue>>, post: PostId, issue: HubIssue | undefined): boolean =>
    issue !== undefined && map.get(post)?.has(issue) === true;
  const find = ({ repositoryId, number }: IssueRef): HubIssue | undefined => hub.follow(repositoryId, number);
  return {
    check: {
      postIsMade({ id }, issue) {
        made.set(id, issue);
      },
      personOrders(order) {
        if (order.kind === "retry") {
          for (const post of order.posts) {
            retried.add(post);
            giveUp(post);
          }
        }
        if (order.kind === "unlink") {
          for (const issue of order.issues) add(unlinked, order.post, find(issue));
          // The two may be taken up by one run.
          if (retried.has(order.post)) giveUp(order.post);
        }
        if (order.kind === "discard" || order.kind === "resume-discard")
          for (const post of order.posts) discarded.add(post);
        if (order.kind !== "link") return;
        const repository = hub.repositories.find(({ name }) => name === order.repository);
        const issue = repository && find({ repositoryId: repository.id, number: order.number });
        add(linked, order.post, issue);
      },
      // A state that is lost knows nothing of what people have unlinked.
      stateIsLost() {
        for (const post of unlinked.keys()) giveUp(post);
      },
      copyReturns() {
        for (const post of [...linked.keys(), ...unlinked.keys()]) forgotten.add(post);
        for (const post of unlinked.keys()) giveUp(post);
      },
    },
    isOrdered: (post) => linked.has(post) || unlinked.has(post),
    isUnwanted: (post) => unlinked.has(post) || discarded.has(post),
    isLinked: (post, issue) => has(linked, post, issue) || (issue !== undefined && made.get(post) === issue),
    madeFrom: (post) => made.get(post),
    isUnlinked: (post, issue) => has(unlinked, post, issue),
    isGivenUp: (post, issue) => has(givenUp, post, issue),
    postsOf: (issue) => [
      ...[...linked].flatMap(([post, issues]) => (issues.has(issue) ? [post] : [])),
      ...issue.became.map(({ id }) => id),
    ],
    isRetried: (name) => retried.has(name),
    isForgotten: (post) => forgotten.has(post),
    posts: () => [...new Set([...linked.keys(), ...unlinked.keys()])],
  };
}
