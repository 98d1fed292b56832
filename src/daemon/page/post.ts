import { isPausedAsWhole } from "../../model/causes.ts";
import type { PostId } from "../../model/post.ts";
import { type ExplainedWrite, type Explanation, explainPost } from "../../story/explain/explain.ts";
import {
  type AnyRule,
  comingOf,
  describeCondition,
  describeDecided,
  describeFacts,
  describeSelection,
  describeSet,
  fieldColumns,
  findDeciding,
  nameWait,
  remarksOn,
  tellRules,
} from "../../story/explain/explanation.ts";
import type { ExplainedField } from "../../story/explain/fields.ts";
import { foundProjects } from "../../sync/orders/foresight.ts";
import { foreseeRetry } from "../../sync/orders/retry.ts";
import { showChanges } from "../../sync/tell/waiting-lines.ts";
import { beginSentence } from "../../sync/tell/words.ts";
import { type AddressedPost, runAddress, siteOf } from "./addresses.ts";
import { badge, type Column, html, type Markup, type Piece, type Tone, table } from "./html.ts";
import { renderOrder } from "./orders/order.ts";
import { boardAddress, renderIssue } from "./sides.ts";
import type { Looking } from "./view.ts";
import { askedFor, isAnswered, renderAnswers } from "./waits.ts";
import { renderCode, renderCommand, renderSentence } from "./words.ts";

/** The story of one post: what `boardsync explain` tells. undefined where there is no such post. */
export async function renderPost(
  looking: Looking,
  { project: key, post }: AddressedPost,
): Promise<Markup | undefined> {
  const { view, ledger, times } = looking;
  const known = view.projects.find(({ project }) => project.key === key);
  const story =
    known &&
    (await explainPost(known.project, post as PostId, { ledger, policy: view.policy, now: times.now }));
  if (story === undefined) return undefined;
  const site = siteOf(view.trackerUrl);
  return html`<p class="quiet"><bdi>${key}/${post}</bdi></p>
    <h1><bdi>${story.title === null || story.title === "" ? post : story.title}</bdi></h1>
    <p>${badge(story.standing.kind === "linked" ? "good" : "", story.standing.kind)}
      ${renderSentence(story.standing.reason)}</p>
    ${await renderWaits(looking, story)}
    ${renderNext(story)}
    ${await renderPlaces(looking, story, site)}
    ${renderRules(story, site)}
    ${renderFields(story)}
    ${renderSelection(story)}
    ${renderRecord(looking, story)}
    ${renderOrders(looking, story)}
    <p class="quiet">As last seen: the board ${showAge(looking, story.facts.board)}, GitHub ${showAge(looking, story.facts.tracker)}.</p>`;
}

/** What comes next; undefined where the part on what waits has said it already. */
function renderNext(story: Explanation): Markup | undefined {
  const coming = comingOf(story);
  if (coming.length === 0) return undefined;
  return html`<section aria-labelledby="next"><h2 id="next">What happens next</h2>
      <ul>${coming.map((line) => html`<li>${renderSentence(line)}</li>`)}</ul></section>`;
}

function showAge({ times }: Looking, age: Explanation["facts"]["board"]): Piece {
  return age === null ? "never" : times.show(Date.parse(age.at));
}

async function renderPlaces(looking: Looking, story: Explanation, site: string | undefined): Promise<Markup> {
  const { project, post } = story;
  const page = await boardAddress(looking, project, post as PostId);
  const issues = story.issues.map(
    ({ issue, facts }) =>
      html`<div class="place">${renderIssue(issue, site)} ${facts !== null && html`<span class="quiet more">${describeFacts(facts)}</span>`}
</div>`,
  );
  return html`<dl class="sides">
    <div><dt>Issue</dt><dd>${issues.length === 0 ? `none; it would go to ${story.select.repo}` : issues}</dd></div>
    ${page !== undefined && html`<div><dt>On the board</dt><dd><a href="${page}" rel="noreferrer">${page}</a></dd></div>`}
  </dl>`;
}

/** What may be asked for whatever waits, the dangerous one last. */
function renderOrders({ forms }: Looking, story: Explanation): Markup | undefined {
  if (forms === undefined) return undefined;
  const { project, post } = story;
  const about = { project, post, from: "post" } as const;
  const field = html`<label class="wide">Link it to an issue <input name="issue" required maxlength="300" autocomplete="off" placeholder="${story.select.repo}#12"></label>`;
  return html`<section aria-labelledby="orders"><h2 id="orders">Orders</h2>
    ${story.waits.every(({ kind }) => kind !== "paused") && renderOrder(forms, { ...about, kind: "pause" }, "Pause…")}
    ${renderOrder(forms, { ...about, kind: "link" }, "Link…", field)}
    ${story.issues.map(({ issue }) => renderOrder(forms, { ...about, kind: "unlink", issue }, `Unlink ${issue}…`))}</section>`;
}

async function renderWaits(
  looking: Looking,
  { project, post, waits }: Explanation,
): Promise<Markup | undefined> {
  const { ledger, times, forms } = looking;
  const [known] = foundProjects([project], ledger);
  if (known === undefined) return undefined;
  const named = { ...known, post: post as PostId };
  // A post whose links a person has ended has nothing that is parked, and can be given an issue all the same.
  const canRetry =
    forms !== undefined && (await foreseeRetry({ ledger, now: times.now }, "retry", [named])).asked > 0;
  const isNamed = waits.some(({ kind, command }) => kind === "parked" && command !== null);
  const about = { project, post, from: "post" } as const;
  if (waits.length === 0 && !canRetry) return undefined;
  const pending = await ledger.requests.pending(named.project);
  return html`<section aria-labelledby="waits"><h2 id="waits">What waits</h2><ul class="waits">${waits.map(
    ({ kind, cause, code, message, since, command }) => html`<li>
      ${badge(command === null ? "" : kind === "held" ? "warn" : "bad", nameWait({ kind, cause }))}
      <span class="quiet">since ${times.show(Date.parse(since))}</span>
      <p>${renderSentence(message)}${code !== null && html` <code>${code}</code>`}</p>
      ${command !== null && (isAnswered(kind, pending, named.post) ? askedFor : ((cause !== null && isPausedAsWhole(cause) ? undefined : renderAnswers(looking, kind, about)) ?? renderCommand(command)))}</li>`,
  )}</ul>${canRetry && !isNamed && renderAnswers(looking, "parked", about)}</section>`;
}

function renderRules(story: Explanation, site: string | undefined): Markup | undefined {
  const { issues, boardRules } = story;
  const message = tellRules(story);
  if (issues.length === 0 && boardRules.length === 0) return undefined;
  const deciding = findDeciding(boardRules);
  return html`<section aria-labelledby="rules"><h2 id="rules">Rules</h2>
    ${issues.length > 0 && message !== undefined && html`<p><bdi>${message}</bdi></p>`}
    ${issues.map(
      (explained) => html`<div class="card"><h3>${renderIssue(explained.issue, site)}</h3>
        ${remarksOn(explained).map((remark) => html`<p><bdi>${remark}</bdi></p>`)}
        ${explained.rules.map((rule) => renderRule(rule))}</div>`,
    )}
    ${
      boardRules.length > 0 &&
      html`<div class="card"><h3>From the post to its issues</h3>${boardRules.map((rule) =>
        renderRule(rule, deciding),
      )}</div>`
    }</section>`;
}

const signs: Readonly<Record<AnyRule["verdict"], readonly [look: Tone, text: string]>> = {
  holds: ["good", "✓ holds"],
  fails: ["", "✗ fails"],
  unknown: ["warn", "? unknown"],
};

function renderRule(tried: AnyRule, deciding: number | null = null): Markup {
  const { rule, verdict, conditions } = tried;
  const decided = describeDecided(tried, deciding);
  return html`<div class="rule">${renderSign(verdict)} Rule ${rule} sets <bdi>${describeSet(tried)}</bdi>${decided !== undefined && html` <b>← ${decided}</b>`}
    <ul>${conditions.length === 0 && html`<li class="quiet">It names no condition, so it always holds.</li>`}${conditions.map(
      (condition) =>
        html`<li class="quiet">${renderSign(condition.verdict)} <bdi>${describeCondition(condition)}</bdi></li>`,
    )}</ul></div>`;
}

function renderSign(verdict: AnyRule["verdict"]): Markup {
  const [look, text] = signs[verdict];
  return badge(look, text);
}

function renderFields({ fields, issueFields }: Explanation): Markup | undefined {
  if (fields.length === 0 && issueFields.length === 0) return undefined;
  return html`<section aria-labelledby="fields"><h2 id="fields">Fields</h2>
    ${fields.length > 0 && table("Fields of the post that rules set", columnsOf("post"), fields)}
    ${
      issueFields.length > 0 &&
      table(
        "Fields of its issues that the post decides",
        [{ title: "Issue", show: ({ issue }: (typeof issueFields)[number]) => issue }, ...columnsOf("issue")],
        issueFields,
      )
    }</section>`;
}

function columnsOf(side: "post" | "issue"): readonly Column<ExplainedField>[] {
  return fieldColumns(side).map(({ title, show }) => ({
    title: beginSentence(title),
    show: (field) => html`<bdi>${show(field)}</bdi>`,
  }));
}

function renderSelection(story: Explanation): Markup {
  const { conditions } = story.select;
  return html`<section aria-labelledby="select"><h2 id="select">Selection</h2><p>It is ${describeSelection(story)}.</p>
    ${
      conditions.length > 0 &&
      table(
        "The conditions of the selection",
        [
          { title: "Condition", show: ({ name }) => name },
          { title: "Wants", show: ({ wants }) => html`<bdi>${renderCode(wants)}</bdi>` },
          { title: "The post", show: ({ shows }) => html`<bdi>${renderCode(shows)}</bdi>` },
          { title: "Verdict", show: ({ holds }) => renderSign(holds ? "holds" : "fails") },
        ],
        conditions,
      )
    }</section>`;
}

/** The last writes to either side for a post, the newest first. */
function renderRecord({ times }: Looking, { writes }: Explanation): Markup | undefined {
  if (writes.length === 0) return undefined;
  return html`<section aria-labelledby="writes"><h2 id="writes">Last writes</h2>${table(
    "The last writes to either side",
    [
      { title: "When", show: ({ at }) => times.show(Date.parse(at)) },
      { title: "Run", show: ({ run }) => html`<a href="${runAddress(run)}">${run}</a>` },
      { title: "What", show: describeWrite },
      { title: "Voters", show: ({ voters }) => voters?.toLocaleString("en") ?? "?", isNumber: true },
      { title: "Because", show: ({ reason }) => html`<bdi>${renderCode(reason)}</bdi>` },
      { title: "Outcome", show: renderOutcome },
    ],
    writes,
  )}</section>`;
}

function describeWrite({ kind, issue, fields }: ExplainedWrite): Piece {
  return html`${kind}${issue !== null && ` ${issue}`} <bdi>${showChanges(fields)}</bdi>`;
}

function renderOutcome({ outcome, message }: ExplainedWrite): Piece {
  const look = outcome === "applied" ? "good" : outcome === "unknown" ? "warn" : "bad";
  return html`${badge(look, outcome)}${message !== null && html` <span class="quiet"><bdi>${message}</bdi></span>`}`;
}
