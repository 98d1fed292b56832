import type { Ledger } from "../../src/ledger/ledger.ts";
import type { NewRequest } from "../../src/ledger/orders.ts";
import type { ActionName, HeldAction, WaitingRow } from "../../src/ledger/rows.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { inOrder, select } from "../../src/select.ts";
import { homeOf, type Place, placesOf } from "./places.ts";
import { startLife } from "./process.ts";
import type { Random } from "./random.ts";
import type { Stage } from "./stage.ts";

type Order = Omit<NewRequest, "project" | "at"> & NewRequest;
type Asked = Pick<NewRequest, "project" | "at">;

/** What people order beside the runs, as the commands do: `approve`, `approve --discard`, `retry`, `release`, `link`, `unlink`. */
export async function orderSomething(stage: Stage, random: Random): Promise<string> {
  const { state, time, scenario, watch, counts } = stage;
  const ledger = state.open(startLife());
  const at = time.now() + scenario.skewMs;
  const orders: Order[] = [];
  for (const place of placesOf(scenario))
    orders.push(...(await possibleOrders(stage, ledger, place, { project: place.id, at }, random)));
  orders.push(...(await linkOrders(stage, ledger, at, random)));
  if (orders.length === 0) return "nothing waits for a person";
  const order = random.pick(orders);
  await ledger.commit([{ kind: "add-request", request: order }]);
  const ruled = await select(postsOf(order), (post) => isRuled(ledger, order.project, post, at));
  watch.events.personOrders(order, ruled);
  const kind = order.kind === "approve" && order.isWhole ? "approve all" : order.kind;
  counts.note(`orders: ${kind}`);
  return `somebody orders ${kind} ${postsOf(order).join(", ")}`;
}

async function possibleOrders(
  stage: Stage,
  ledger: Ledger,
  { id, key }: Place,
  asked: Asked,
  random: Random,
): Promise<readonly Order[]> {
  const held = await heldOnce(stage, ledger, id);
  const waiting = await ledger.rows.waiting(id, 1_000);
  const orders: Order[] = [];
  if (await hasHold(ledger, key)) orders.push({ ...asked, kind: "accept-size" });
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

/** What is held, but for an issue of a post that may have one in the other project: whoever approves that wants a second one. */
async function heldOnce(
  { scenario, time }: Stage,
  ledger: Ledger,
  project: ProjectId,
): Promise<readonly HeldAction[]> {
  const others = placesOf(scenario).filter(({ id }) => id !== project);
  return select(await ledger.rows.held(project), async ({ kind, post, cause }) => {
    // Whoever approves that where issues become posts wants a second one.
    if (cause === "named" && scenario.tools !== undefined) return false;
    // Of a post that was linked by its mark alone the other project has no row.
    if (cause === "namesake") return false;
    if (kind !== "create-issue") return true;
    const rows = await inOrder(others, ({ id }) => ledger.rows.row(id, post, time.now()));
    return rows.every((row) => row === undefined);
  });
}

function nameOf({ post, kind, signature }: HeldAction): ActionName {
  return { post, kind, signature };
}

/** A link between any post and any issue that there is, the end of one of a post's links or of all, and another issue after that. */
async function linkOrders(
  stage: Stage,
  ledger: Ledger,
  at: number,
  random: Random,
): Promise<readonly Order[]> {
  const { board, hub } = stage;
  const posts = await select(
    board.posts,
    async (post) => (await homeOf(ledger, stage, post)).row !== undefined,
  );
  if (posts.length === 0 || !random.chance(0.8)) return [];
  const chosen = random.pick(posts);
  const post = chosen.id;
  const { project, row } = await homeOf(ledger, stage, chosen);
  const asked = { project, at };
  const orders: Order[] = [];
  const issues = hub.repositories.flatMap(({ issues }) => issues.filter(({ isDeleted }) => !isDeleted));
  if (issues.length > 0) {
    const { repository, number } = random.pick(issues);
    orders.push({ ...asked, kind: "link", post, repository: repository.name, number });
  }
  if (row?.unlinkedAt !== undefined) orders.push({ ...asked, kind: "retry", posts: [post] });
  const linked = row?.links.map(({ link }) => link.issue) ?? [];
  if (linked.length > 0) {
    const ended = random.chance(0.5) ? linked : [random.pick(linked)];
    orders.push({ ...asked, kind: "unlink", post, issues: ended });
  }
  return orders;
}

/** Whether the last run held a whole project because the board had shrunk. */
export async function hasHold(ledger: Ledger, key: string): Promise<boolean> {
  const report = (await ledger.runs.last(key))?.report;
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
    case "resume-project":
    case "publish":
    case "retry-entry":
    case "draft-entry":
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
async function isRuled(ledger: Ledger, project: ProjectId, post: PostId, now: number): Promise<boolean> {
  return (await ledger.rows.row(project, post, now))?.base.status?.ruled !== undefined;
}
