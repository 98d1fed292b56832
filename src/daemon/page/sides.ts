import type { IssueRef } from "../../model/issue.ts";
import type { FieldValue, PostId } from "../../model/post.ts";
import { nameIssue } from "../../sync/ground/cycle-state.ts";
import { issueAddress, postAddress, siteOf, webAddress } from "./addresses.ts";
import { html, type Markup } from "./html.ts";
import type { Looking } from "./view.ts";

/** A post by its title, or by its id where it has none, with the way to its page here. */
export function renderPostLink(key: string, post: string, title: FieldValue): Markup {
  return html`<a href="${postAddress(key, post)}"><bdi>${title === null || title === "" ? post : String(title)}</bdi></a>`;
}

/** An issue, with a way to it where the tracker has pages. */
export function renderIssue(name: string, site: string | undefined): Markup {
  const address = issueAddress(site, name);
  return address === undefined ? html`${name}` : html`<a href="${address}" rel="noreferrer">${name}</a>`;
}

/** The post's own page on the board, as the config or the board tells it; undefined where neither does. */
export async function boardAddress(
  { view, ledger, times }: Looking,
  key: string,
  post: PostId,
): Promise<string | undefined> {
  const known = view.projects.find(({ project }) => project.key === key);
  const project = ledger.memory.project(key)?.id;
  const row = project && (await ledger.rows.row(project, post, times.now));
  if (known === undefined || project === undefined || row === undefined) return undefined;
  try {
    return webAddress(known.project.renderer.address(row.post, { board: view.policy.boardHash, project }));
  } catch {
    // A template that fails on this post: runs say so.
    return undefined;
  }
}

/** The ways to both sides of a post: "board · acme/app#12". */
export async function renderSides(
  looking: Looking,
  key: string,
  post: PostId,
  issues: readonly IssueRef[],
): Promise<Markup> {
  const { view, ledger } = looking;
  const address = await boardAddress(looking, key, post);
  const site = siteOf(view.trackerUrl);
  const sides = [
    ...(address === undefined ? [] : [renderBoardLink(address)]),
    ...issues.map((issue) => renderIssue(nameIssue({ world: { ledger } }, issue), site)),
  ];
  return html`${sides.map((side) => html`${side} · `)}`;
}

/** The way to a post's page on the board. */
export function renderBoardLink(address: string): Markup {
  return html`<a href="${address}" rel="noreferrer">on the board</a>`;
}
