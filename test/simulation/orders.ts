import type { Ledger } from "../../src/ledger/ledger.ts";
import type { NewRequest } from "../../src/ledger/requests.ts";
import type { ActionName, HeldAction, WaitingRow } from "../../src/ledger/rows.ts";
import type { PostId } from "../../src/model/post.ts";
import { select } from "../../src/select.ts";
import { startLife } from "./process.ts";
import type { Random } from "./random.ts";
import { projectId, projectKey } from "./scenario.ts";
import type { Stage } from "./stage.ts";

type Order = Omit<NewRequest, "project" | "at"> & NewRequest;

/** What people order beside the runs, as the commands do: `approve`, `approve --discard`, `retry`, `release`, `link`, `unlink`. */
export async function orderSomething(stage: Stage, random: Random): Promise<string> {
  const { state, time, scenario, watch, counts } = stage;
  const ledger = state.open(startLife());
  const asked = { project: projectId, at: time.now() + scenario.skewMs };
  const orders = [
    ...(await possibleOrders(ledger, asked, random)),
    ...(await linkOrders(stage, ledger, asked, random)),
  ];
  if (orders.length === 0) return "nothing waits for a person";
  const order = random.pick(orders);
  await ledger.commit([{ kind: "add-request", request: order }]);
  const ruled = await select(postsOf(order), (post) => isRuled(ledger, post, asked.at));
  watch.events.personOrders(order, ruled);
  const kind = order.kind === "approve" && order.isWhole ? "approve all" : order.kind;
  counts.note(`orders: ${kind}`);
  return `somebody orders ${kind} ${postsOf(order).join(", ")}`;
}

async function possibleOrders(
  ledger: Ledger,
  asked: Pick<NewRequest, "project" | "at">,
  random: Random,
): Promise<readonly Order[]> {
  const held = await ledger.rows.held(projectId);
  const waiting = await ledger.rows.waiting(projectId, 1_000);
  const orders: Order[] = [];
  if (await hasHold(ledger)) orders.push({ ...asked, kind: "accept-size" });
  else if (held.length > 0) {
    const post = random.pick(held).post;
    const some = held.filter((action) => action.post === post);
    orders.push(
      { ...asked, kind: "approve", actions: held.map(nameOf), isWhole: true },
      { ...asked, kind: "approve", actions: some.map(nameOf), isWhole: false },
      { ...asked, kind: "discard", posts: [post] },
      { ...asked, kind: "discard", posts: [...new Set(held.map((action) => action.post))] },
    );
  }
  const parked = waitingOf(waiting, "parked");
  if (parked.length > 0) orders.push({ ...asked, kind: "retry", posts: [random.pick(parked)] });
  const quarantined = waitingOf(waiting, "quarantined");
  if (quarantined.length > 0) orders.push({ ...asked, kind: "release", posts: [random.pick(quarantined)] });
  return orders;
}

function nameOf({ post, kind, signature }: HeldAction): ActionName {
  return { post, kind, signature };
}

/** A link between any post and any issue that there is, the end of one of a post's links or of all, and another issue after that. */
async function linkOrders(
  { board, hub, time }: Stage,
  ledger: Ledger,
  asked: Pick<NewRequest, "project" | "at">,
  random: Random,
): Promise<readonly Order[]> {
  const posts = await select(
    board.posts,
    async ({ id }) => (await ledger.rows.row(projectId, id, time.now())) !== undefined,
  );
  if (posts.length === 0 || !random.chance(0.8)) return [];
  const post = random.pick(posts).id;
  const orders: Order[] = [];
  const issues = hub.repositories.flatMap(({ issues }) => issues.filter(({ isDeleted }) => !isDeleted));
  if (issues.length > 0) {
    const { repository, number } = random.pick(issues);
    orders.push({ ...asked, kind: "link", post, repository: repository.name, number });
  }
  const row = await ledger.rows.row(projectId, post, time.now());
  if (row?.unlinkedAt !== undefined) orders.push({ ...asked, kind: "retry", posts: [post] });
  const linked = row?.links.map(({ link }) => link.issue) ?? [];
  if (linked.length > 0) {
    const ended = random.chance(0.5) ? linked : [random.pick(linked)];
    orders.push({ ...asked, kind: "unlink", post, issues: ended });
  }
  return orders;
}

/** Whether the last run held the whole project because the board had shrunk. */
export async function hasHold(ledger: Ledger): Promise<boolean> {
  const report = (await ledger.runs.last(projectKey))?.report;
  return typeof report === "object" && report !== null && "hold" in report;
}

function waitingOf(waiting: readonly WaitingRow[], wanted: WaitingRow["kind"]): readonly PostId[] {
  return waiting.flatMap(({ post, kind }) => (kind === wanted ? [post] : []));
}

function postsOf(order: NewRequest): readonly PostId[] {
  switch (order.kind) {
    case "approve":
      return [...new Set(order.actions.map(({ post }) => post))];
    case "accept-size":
      return [];
    case "retry":
    case "release":
    case "discard":
    case "resume":
    case "resume-discard":
      return order.posts;
    case "link":
    case "unlink":
      return [order.post];
  }
}

/** Whether it is other rules, and no change of an issue, that ask for another status of a post. */
async function isRuled(ledger: Ledger, post: PostId, now: number): Promise<boolean> {
  return (await ledger.rows.row(projectId, post, now))?.base.status?.ruled !== undefined;
}
