import type { Change } from "../../ledger/change.ts";
import type { OtherMark } from "../../ledger/pulls.ts";
import { type IssueRecord, refOf } from "../../model/issue.ts";
import type { PostId } from "../../model/post.ts";
import { guessAddress, type Marker, parseMarker } from "../../plan/text/marker.ts";
import { type Cycle, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { command } from "../ground/remedy.ts";
import type { HoldOf, Wanted } from "../ground/verdict.ts";
import type { Policy } from "../ground/world.ts";
import { isOurLogin } from "./identify.ts";

/** Whether a mark names this board, by its address or by an earlier one. */
export function isOurBoard(
  { boardHash, formerBoards }: Pick<Policy, "boardHash" | "formerBoards">,
  board: string,
): boolean {
  return board === boardHash || formerBoards.includes(board);
}

/** Our mark on an issue of ours: of others than us none counts, nor one that is quoted. */
export function ownMark(
  { world, account }: Pick<Cycle, "world" | "account">,
  { author, body }: Pick<IssueRecord, "author" | "body">,
): Marker | undefined {
  return isOurLogin(world, account, author) ? parseMarker(body) : undefined;
}

/**
 * What to remember of issues of ours that name posts under another address of the board. It may be the same board, whose address
 * has changed while the state was lost.
 */
export function readOtherMarks(cycle: Cycle, records: readonly IssueRecord[]): readonly Change[] {
  const { clock, policy } = cycle.world;
  const ours = records.filter(({ author }) => isOurLogin(cycle.world, cycle.account, author));
  if (ours.length === 0) return [];
  const marks = ours.flatMap(({ issue, body }) => {
    const marker = parseMarker(body);
    if (marker === undefined || isOurBoard(policy, marker.board)) return [];
    const address = guessAddress(marker.board, policy.boardUrl, body);
    return [{ ...marker, issue: refOf(issue), address }];
  });
  const issues = ours.map(({ issue }) => refOf(issue));
  return [{ kind: "store-other-marks", issues, marks, at: clock.now() }];
}

/** All that is known of marks of one other address. */
type OtherBoard = ReturnType<typeof toOther>;

/**
 * Holds new issues of posts that have one already if the other address is the board's own. Another board in the same repository
 * has other projects, or other posts; where it has not, a person says so once for all of them, by an approval of the whole project.
 */
export async function holdsOfOtherMarks(cycle: PulledCycle, creates: readonly Wanted[]): Promise<HoldOf> {
  const { world, project } = cycle;
  const others = await readOtherBoards(cycle);
  const otherOf = ({ post }: Wanted) => others.find(({ posts }) => posts.has(post));
  const found = new Set(others.length === 0 ? [] : creates.map(otherOf));
  for (const { name: board, issues } of others.filter((other) => found.has(other)))
    world.log.warn({ project: project.key, board, issues }, marksFound);
  return (create) => {
    const other = otherOf(create);
    if (other === undefined) return undefined;
    const why = wordsOf(cycle, other, create.post);
    return { kind: "hold", cause: "other-address", why, since: other.since };
  };
}

const marksFound =
  "Issues carry marks of another address of the board: new issues of their posts wait until `board.formerUrls` names it, or `boardsync approve` lets them go";

/** Without those that a person has said to be other boards, by approving a whole project with one of its posts among what was held. */
async function readOtherBoards({ world, memory }: Cycle): Promise<readonly OtherBoard[]> {
  const { ledger, policy, clock } = world;
  const marks = (await ledger.pulls.otherMarks(memory.id)).filter(({ board }) => !isOurBoard(policy, board));
  if (marks.length === 0) return [];
  const others = [...Map.groupBy(marks, ({ board }) => board)].map(([board, found]) => toOther(board, found));
  const pending = await ledger.requests.pending(memory.id);
  const whole = pending.filter((request) => request.kind === "approve").filter(({ isWhole }) => isWhole);
  const accepted = others.filter(({ posts, since }) =>
    whole.some(
      (request) =>
        request.at >= since &&
        request.actions.some(({ kind, post }) => kind === "create-issue" && posts.has(post)),
    ),
  );
  const boards = accepted.map(({ board }) => board);
  if (boards.length > 0)
    await ledger.commit([{ kind: "accept-other-marks", project: memory.id, boards, at: clock.now() }]);
  return others.filter((other) => !accepted.includes(other));
}

function toOther(board: string, marks: readonly OtherMark[]) {
  const address = marks.find((mark) => mark.address !== undefined)?.address;
  return {
    board,
    /** The issue of each post that they name. */
    posts: new Map(marks.map(({ post, issue }) => [post, issue])),
    /** How messages call it. */
    name: address ?? `not known; its marks say board=${board}`,
    issues: new Set(marks.map(({ issue }) => `${issue.repositoryId}#${issue.number}`)).size,
    /** When the first of them was seen, epoch ms. */
    since: Math.min(...marks.map(({ since }) => since)),
  };
}

function wordsOf(cycle: PulledCycle, { name, issues, posts }: OtherBoard, post: PostId): string {
  const issue = posts.get(post);
  const marks = issues === 1 ? "1 issue carries the mark" : `${issues} issues carry marks`;
  const open = command("approve", cycle.project.key);
  return `${marks} of another address of the board (${name}), ${issue === undefined ? "" : nameIssue(cycle, issue)} that of this post: if it is the same board, add the address to \`board.formerUrls\`, and they are linked; if it is another one, \`${open}\` opens new issues`;
}
