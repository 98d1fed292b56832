import type { BrowsedLink, LinkSearch } from "../../ledger/rows.ts";
import type { PostId } from "../../model/post.ts";
import { inOrder, select, sum } from "../../select.ts";
import { describeIssueState } from "../../story/explain/explanation.ts";
import { linksAddress, postAddress, siteOf } from "./addresses.ts";
import { badge, type Column, html, type Markup, own, table } from "./html.ts";
import { boardAddress, renderBoardLink, renderIssue, renderPostLink } from "./sides.ts";
import type { Looking } from "./view.ts";
import { renderBadge } from "./waits.ts";

/** What the address asks for; whatever else stands there is as if it were left out. */
export type LinksQuery = Readonly<Record<string, string | undefined>>;

const states: Readonly<Record<LinkSearch["state"], string>> = {
  any: "Any",
  open: "Open issue",
  closed: "Closed issue",
  absent: "Issue not found",
  waiting: "Needs you",
};
const pageSizes = ["100", "1000"];
/** Longer texts are no search. */
const longestText = 200;

/** A link, and the project that it was found in. */
interface LinkLine extends BrowsedLink {
  readonly key: string;
  /** On the board. */
  readonly address: string | undefined;
}

/** The links of all projects or of one, searched and filtered, page by page; a form that needs no script. */
export async function renderLinks(looking: Looking, query: LinksQuery): Promise<Markup> {
  const { q = "", project, after } = query;
  const keys = looking.view.projects.map(({ project: { key } }) => key);
  const chosen = keys.find((key) => key === project);
  const scope = chosen === undefined ? keys : [chosen];
  const state = (Object.keys(states) as LinkSearch["state"][]).find((one) => one === query["state"]) ?? "any";
  const text = q.trim().slice(0, longestText);
  const rows = pageSizes.find((size) => size === query["rows"]) ?? "100";
  const search = { text, state, limit: Number(rows) };
  const page = await readLinks(looking, scope, search, after);
  const kept = {
    q: text,
    project: chosen,
    state: state === "any" ? undefined : state,
    rows: rows === "100" ? undefined : rows,
  };
  const isShort = page.next !== undefined && page.links.length < search.limit;
  return html`<h1>Links</h1>
    <p class="lead">${await countLinks(looking, scope)}. The newest issue first.</p>
    ${renderForm(keys, kept)}
    ${await renderExact(looking, scope, text)}
    ${page.links.length > 0 && table("Posts and their issues", columnsOf(looking, keys.length > 1), page.links)}
    ${page.links.length === 0 && page.next === undefined && html`<p class="lead">No link matches this search.</p>`}
    ${isShort && html`<p class="lead">One search looks at ten thousand links at most; there are more.</p>`}
    <nav class="pages" aria-label="Further links">
      ${after !== undefined && html`<a href="${linksAddress(kept)}">First page</a>`}
      ${page.next !== undefined && html`<a rel="next" href="${linksAddress({ ...kept, after: page.next })}">${isShort ? "Search further" : "Next page"}</a>`}
    </nav>`;
}

async function countLinks({ ledger }: Looking, keys: readonly string[]): Promise<string> {
  const counts = await inOrder(keys, async (key) => {
    const memory = ledger.memory.project(key);
    return memory === undefined ? 0 : (await ledger.rows.counts(memory.id)).issues;
  });
  const issues = sum(counts);
  return issues === 1 ? "1 linked issue" : `${issues.toLocaleString("en")} linked issues`;
}

/** Project after project, in the order of the config: `after` names the project by its place there, and the place in it. */
async function readLinks(
  looking: Looking,
  keys: readonly string[],
  search: Omit<LinkSearch, "after">,
  after: string | undefined,
) {
  const [, first = "0", begin] = /^(\d{1,4})-([\d.]{0,50})$/.exec(after ?? "") ?? [];
  const links: LinkLine[] = [];
  let place = begin === "" ? undefined : begin;
  for (let index = Number(first); index < keys.length; index++) {
    const key = keys[index] ?? "";
    const memory = looking.ledger.memory.project(key);
    if (memory === undefined) continue;
    if (links.length === search.limit) return { links, next: `${index}-` };
    const page = await looking.ledger.browse.links(memory.id, {
      ...search,
      limit: search.limit - links.length,
      after: place,
    });
    for (const link of page.links)
      links.push({ ...link, key, address: await boardAddress(looking, key, link.post) });
    if (page.next !== undefined) return { links, next: `${index}-${page.next}` };
    place = undefined;
  }
  return { links, next: undefined };
}

function renderForm(
  keys: readonly string[],
  { q = "", project = "", state = "any", rows = "100" }: LinksQuery,
): Markup {
  const option = (value: string, chosen: string, name: string): Markup =>
    html`<option value="${own(value)}"${value === chosen && html` selected`}>${own(name)}</option>`;
  return html`<form action="${linksAddress({})}" method="get" role="search">
    <label class="wide">Post, title or issue <input type="search" name="q" value="${q}" autocomplete="off"></label>
    ${
      keys.length > 1 &&
      html`<label>Project <select name="project">${option("", project, "All")}${keys.map((key) => option(key, project, key))}</select></label>`
    }
    <label>State <select name="state">${Object.entries(states).map(([value, name]) => option(value, state, name))}</select></label>
    <label>Rows <select name="rows">${pageSizes.map((size) => option(size, rows, size))}</select></label>
    <button>Search</button>
  </form>`;
}

/** A post without an issue is in no list of links; by its id it is found all the same. */
async function renderExact(
  { ledger, times }: Looking,
  keys: readonly string[],
  text: string,
): Promise<Markup | undefined> {
  const found = await select(keys, async (key) => {
    const memory = ledger.memory.project(key);
    const row =
      memory && text !== "" ? await ledger.rows.row(memory.id, text as PostId, times.now) : undefined;
    return row !== undefined && row.links.length === 0;
  });
  if (found.length === 0) return undefined;
  return html`<p>${found.map(
    (key) => html`The post <a href="${postAddress(key, text)}"><bdi>${key}/${text}</bdi></a> has no issue. `,
  )}</p>`;
}

function columnsOf({ view }: Looking, hasProjects: boolean): readonly Column<LinkLine>[] {
  const site = siteOf(view.trackerUrl);
  return [
    {
      title: "Post",
      show: ({ key, post, title, address }) =>
        html`${renderPostLink(key, post, title)}
          <span class="quiet"><bdi>${hasProjects ? `${key}/${post}` : post}</bdi>${address !== undefined && html` · ${renderBoardLink(address)}`}</span>`,
    },
    { title: "Status", show: ({ status }) => html`<bdi>${status === null ? "–" : String(status)}</bdi>` },
    { title: "Issue", show: (link) => renderIssue(nameLinked(link), site) },
    {
      title: "State",
      show: ({
        state,
        stateReason,
        absence,
        waits,
      }) => html`${state === undefined ? "not read yet" : describeIssueState(state, stateReason ?? null)}
        ${absence !== undefined && html` ${badge("warn", absence)}`}
        ${waits.map((kind) => html` ${renderBadge({ kind })}`)}`,
    },
  ];
}

function nameLinked({ repository, issue }: BrowsedLink): string {
  return `${repository ?? `repository ${issue.repositoryId}`}#${issue.number}`;
}
