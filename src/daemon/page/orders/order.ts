import { inAddress, ordersAddress, postAddress, readAddressed, toRoot } from "../addresses.ts";
import { html, type Markup, own } from "../html.ts";
import { sealOf } from "../seals.ts";

/** What can be ordered on the page; `foresee.ts` says what each does. */
export const orderKinds = [
  "approve",
  "discard",
  "retry",
  "release",
  "link",
  "unlink",
  "pause",
  "resume",
  "resume-discard",
  "run",
] as const;
export type OrderKind = (typeof orderKinds)[number];

/** An order, as a form names it. */
export interface PageOrder {
  readonly kind: OrderKind;
  /** `project` of the config; '' for every project. */
  readonly project: string;
  /** '' for the whole project. */
  readonly post: string;
  /** Of `link` and `unlink`: the issue, as a person wrote it; '' for every issue of the post. */
  readonly issue: string;
  /** Where its form stood, and where one comes back to. */
  readonly from: "overview" | "post";
}

/** Lets forms be made for whoever looks. */
export interface OrderForms {
  /** A token for the form of this order; the issue is left to who fills it in. */
  seal(order: PageOrder): string;
}

/** Seals a form for a session; the issue is left to who fills it in. */
export function sealOrder(key: string, session: string, { kind, project, post, from }: PageOrder): string {
  return sealOf(key, "order", session, kind, project, post, from);
}

/** The order that the fields of a form name; undefined where they name none. */
export function readOrder(fields: URLSearchParams): PageOrder | undefined {
  const kind = orderKinds.find((one) => one === fields.get("order"));
  if (kind === undefined) return undefined;
  const read = (name: string): string => fields.get(name) ?? "";
  return {
    kind,
    project: read("project"),
    post: readAddressed(read("post")),
    issue: read("issue").trim(),
    from: read("from") === "post" ? "post" : "overview",
  };
}

/** Where an order's form stood. */
export function wayBackOf({ from, project, post }: PageOrder): Markup {
  return from === "post" ? postAddress(project, post) : html`${toRoot}`;
}

/** What an order is made of, where the rest is to be left out. */
export type AskedOrder = Pick<PageOrder, "kind" | "project"> & Partial<PageOrder>;

/**
 * A small form that leads to the question what the order will do; undefined where whoever looks may give none.
 *
 * @param label - of its button.
 * @param input - what is to be filled in.
 */
export function renderOrder(
  forms: OrderForms | undefined,
  asked: AskedOrder,
  label: string,
  input?: Markup,
): Markup | undefined {
  if (forms === undefined) return undefined;
  const order: PageOrder = { post: "", issue: "", from: "overview", ...asked };
  const fields = { order: order.kind, project: order.project, from: order.from, seal: forms.seal(order) };
  const issue = input === undefined ? { issue: order.issue } : {};
  const hidden = Object.entries({ ...fields, ...issue }).filter(([, value]) => value !== "");
  return html`<form class="order" method="post" action="${ordersAddress()}">${hidden.map(
    ([name, value]) => html`<input type="hidden" name="${own(name)}" value="${own(value)}">`,
  )}${order.post !== "" && html`<input type="hidden" name="post" value="${inAddress(order.post)}">`}${input}<button${input === undefined && html` class="small"`}>${own(label)}<span class="unseen"> ${[order.project, order.post].filter(Boolean).join("/")}</span></button></form>`;
}
