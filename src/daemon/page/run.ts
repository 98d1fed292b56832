import { entryTag, type RunWrite, votersWhoHeard } from "../../ledger/journal.ts";
import { describeLength } from "../../model/time.ts";
import { inOrder } from "../../select.ts";
import { nameEntry } from "../../sync/ground/entries.ts";
import { foundProjects } from "../../sync/orders/foresight.ts";
import { readReport } from "../../sync/tell/stored-report.ts";
import { showChanges } from "../../sync/tell/waiting-lines.ts";
import { countNeeds, resultWords } from "../../sync/tell/words.ts";
import { postAddress, runAddress, siteOf, toRoot } from "./addresses.ts";
import { badge, type Column, html, type Markup, table } from "./html.ts";
import { describeNotified, renderErrors } from "./overview.ts";
import { renderIssue } from "./sides.ts";
import type { Looking } from "./view.ts";
import { renderCode, renderCommand, renderSentence } from "./words.ts";

/** So many writes of a run are shown; `boardsync history` has the others. */
const mostWrites = 500;

/** One run: what it wrote to either side, and the command that takes it back. undefined where there is no such run. */
export async function renderRun(looking: Looking, number: number): Promise<Markup | undefined> {
  const { ledger, times } = looking;
  const run = await ledger.runs.find(number);
  if (run === undefined) return undefined;
  const { result } = run;
  const writes = await ledger.journal.writesOf(number);
  return html`<p class="quiet">${times.name(run.startedAt)}</p>
    <h1>Run ${number}</h1>
    <p>${badge(looks[result], resultWords[result])} It ended at ${times.show(run.finishedAt)}, after ${describeLength(run.finishedAt - run.startedAt)}.</p>
    <section aria-labelledby="writes"><h2 id="writes">What it wrote</h2>${renderWrites(looking, writes)}</section>
    ${
      writes.length > 0 &&
      html`<section aria-labelledby="undo"><h2 id="undo">Take it back</h2>
      <p>At a terminal. It shows first what it would write, and how many voters would be notified; what somebody has changed since stays as it is.</p>
      ${renderCommand(`boardsync undo ${number}`)}</section>`
    }
    <section aria-labelledby="projects"><h2 id="projects">Projects</h2>${await inOrder(
      run.projects,
      async ({ project, report }) => renderProject(project, readReport(report)),
    )}</section>
    <nav class="pages" aria-label="Other runs">
      ${run.before !== null && html`<a rel="prev" href="${runAddress(run.before)}">← Run ${run.before}</a>`}
      ${run.after !== null && html`<a rel="next" href="${runAddress(run.after)}">Run ${run.after} →</a>`}
    </nav>`;
}

const looks = { ok: "good", partial: "bad", held: "warn", failed: "bad" } as const;

function renderProject(key: string, report: ReturnType<typeof readReport>): Markup {
  const { created, issueWrites, postWrites, made, entryWrites, held, parked, quarantined, requests, result } =
    report;
  const waits = countNeeds({ held, parked, quarantined });
  return html`<article class="card" aria-label="Project ${key}">
    <div class="head"><h3>${key}</h3>${result !== undefined && badge(looks[result], resultWords[result])}</div>
    <p>${created} issues opened, ${issueWrites} writes to issues, ${postWrites} to posts${describeNotified(report)}${made > 0 && `, ${made} posts made`}${entryWrites > 0 && `, ${entryWrites} to the changelog`}. <span class="quiet">Requests: board ${requests.board}, GitHub ${requests.tracker}.</span></p>
    ${waits.length > 0 && html`<p>At its end ${waits.join(", ")}: <a href="${toRoot}#waits">what needs you</a> now.</p>`}
    ${report.hold !== undefined && html`<p>${renderSentence(report.hold)}</p>`}${renderErrors(key, report)}
  </article>`;
}

function renderWrites(looking: Looking, writes: readonly RunWrite[]): Markup {
  if (writes.length === 0) return html`<p class="lead">Nothing to either side.</p>`;
  const more = writes.length - mostWrites;
  return html`${table("What the run wrote, in its order", columnsOf(looking), writes.slice(0, mostWrites))}
    ${more > 0 && html`<p class="quiet">And ${more.toLocaleString("en")} more. ${renderCommand("boardsync history --limit 10000")}</p>`}`;
}

function columnsOf({ view, ledger, times }: Looking): readonly Column<RunWrite>[] {
  const site = siteOf(view.trackerUrl);
  const found = foundProjects(view.policy.projectKeys, ledger);
  const keys = new Map(found.map(({ key, project }) => [project, key]));
  return [
    { title: "When", show: ({ at }) => times.name(at) },
    {
      title: "Post",
      show({ project, post, ...write }) {
        const key = keys.get(project);
        const tag = entryTag(write);
        if (tag !== undefined) return html`${key}, <bdi>${nameEntry(tag)}</bdi>`;
        if (post === undefined) return key;
        return key === undefined
          ? html`<bdi>${post}</bdi>`
          : html`<a href="${postAddress(key, post)}"><bdi>${key}/${post}</bdi></a>`;
      },
    },
    {
      title: "Issue",
      show: ({ issue }) =>
        issue === undefined ? "–" : renderIssue(`${issue.repository}#${issue.number}`, site),
    },
    { title: "What", show: ({ kind, fields }) => html`${kind} <bdi>${showChanges(fields)}</bdi>` },
    {
      title: "Voters",
      show: (write) => votersWhoHeard(write)?.toLocaleString("en") ?? "?",
      isNumber: true,
    },
    { title: "Because", show: ({ reason }) => html`<bdi>${renderCode(reason)}</bdi>` },
    { title: "Outcome", show: ({ outcome }) => badge(outcome === "applied" ? "good" : "warn", outcome) },
  ];
}
