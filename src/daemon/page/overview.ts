import type { StoredRun } from "../../ledger/orders.ts";
import type { WholePause } from "../../model/link.ts";
import { describeLength, hourMs } from "../../model/time.ts";
import { inOrder } from "../../select.ts";
import { command } from "../../sync/ground/remedy.ts";
import { countVoters, nameVoters } from "../../sync/ground/voters.ts";
import { repositoryNames } from "../../sync/ground/world.ts";
import { describeState, readProject } from "../../sync/tell/project-state.ts";
import { describeTokenEnd, lastTokenEnd, type StoredReport } from "../../sync/tell/stored-report.ts";
import { resultWords, type StateKind, stateKinds, stateWords } from "../../sync/tell/words.ts";
import { linksAddress, postAddress, runAddress } from "./addresses.ts";
import { renderChart } from "./chart.ts";
import { renderEntries } from "./entries.ts";
import { badge, html, type Markup, type Piece, type Tone } from "./html.ts";
import { renderNotified } from "./notified.ts";
import { renderOrder } from "./orders/order.ts";
import type { Looking, PageProject } from "./view.ts";
import { renderOtherWaits, renderWaits } from "./waits.ts";
import { renderCommand, renderSentence } from "./words.ts";

/** So many errors of a run are shown. */
const mostErrors = 20;

/** What is known of one project. */
type Seen = Awaited<ReturnType<typeof see>>;

/**
 * The first page: how it goes, what waits for a person, what the runs of the last days have done.
 *
 * @param range - of the chart, as its own links name it.
 */
export async function renderOverview(looking: Looking, range: string | undefined): Promise<Markup> {
  const projects = await inOrder(looking.view.projects, async (known) => see(looking, known));
  const urgentOf = (key: string): Markup | undefined =>
    renderUrgent(
      looking,
      projects.find(({ known }) => known.project.key === key),
    );
  return html`<h1>${headingOf(projects)}</h1>
    <p class="lead">As of ${looking.times.today}.</p>
    ${renderStop(looking, await looking.ledger.rows.wholePauses(undefined))}
    ${await renderTokenEnd(looking)}
    ${await renderWaits(looking, urgentOf)}
    ${await renderEntries(looking)}
    ${await renderNotified(looking)}
    <section aria-labelledby="projects">
      <h2 id="projects">Projects</h2>
      ${projects.map((seen) => renderProject(looking, seen))}
      ${await renderOtherWaits(looking)}
    </section>
    ${await renderChart(looking, range)}
    <section aria-labelledby="search"><h2 id="search">Links</h2>
      <form action="${linksAddress({})}" method="get">
        <label class="wide">Post, title or issue <input type="search" name="q" autocomplete="off"></label>
        <button>Search</button>
      </form>
    </section>
    <section aria-labelledby="machine"><h2 id="machine">For maintainers</h2>
      ${await inOrder(projects, async (seen) => renderMachine(looking, seen))}
      ${await renderReplicas(looking)}
    </section>`;
}

/** The switch that stops everything, first of all; and how it is pulled back. */
function renderStop({ forms, times }: Looking, [pause]: readonly WholePause[]): Piece {
  if (pause === undefined)
    return forms === undefined
      ? ""
      : html`<div class="orders">${renderOrder(forms, { kind: "pause", project: "" }, "Stop all writes…")}</div>`;
  const way =
    forms === undefined
      ? renderCommand(command("resume", "--all"))
      : html`<div class="orders">${renderOrder(forms, { kind: "resume", project: "" }, "Resume all projects…")}
        ${renderOrder(forms, { kind: "resume-discard", project: "" }, "Resume all without writing…")}</div>`;
  return html`<p>${badge("warn", "paused")} All projects are paused since ${times.show(pause.since)}: nothing is written to either side.</p>${way}`;
}

/** The same of one project. */
function renderPause({ forms }: Looking, { known, state: { pause }, isResuming }: Seen): Piece {
  const { key } = known.project;
  if (pause?.of === "all") return "";
  if (isResuming) return html`<span class="quiet">Resumed by the next run.</span>`;
  if (pause === undefined) return renderOrder(forms, { kind: "pause", project: key }, "Pause…");
  if (forms === undefined) return renderCommand(command("resume", key));
  return html`${renderOrder(forms, { kind: "resume", project: key }, "Resume…")}${renderOrder(forms, { kind: "resume-discard", project: key }, "Resume without writing…")}`;
}

async function renderTokenEnd({ view, ledger, times }: Looking): Promise<Piece> {
  const last = await lastTokenEnd(
    ledger,
    view.projects.map(({ project }) => project.key),
  );
  const end = describeTokenEnd(last?.endsAt, times.now);
  return end === undefined ? "" : html`<p>${badge("warn", "token")} ${renderSentence(end)}</p>`;
}

/** What concerns a whole project, and has to be looked at: why it is held, what failed. */
function renderUrgent({ forms }: Looking, seen: Seen | undefined): Markup | undefined {
  if (seen?.report === undefined) return undefined;
  const { report, known } = seen;
  const { key } = known.project;
  const hold =
    report.hold !== undefined &&
    html`<p>${renderSentence(report.hold)}</p>${
      forms === undefined
        ? renderCommand(command("approve", key))
        : html`<div class="orders">${renderOrder(forms, { kind: "approve", project: key }, "Accept the board as it is…")}</div>`
    }`;
  const errors = renderErrors(key, report);
  return hold === false && errors === undefined ? undefined : html`${hold}${errors}`;
}

/** Who shares the state, and what each runs now. */
async function renderReplicas({ ledger, times }: Looking): Promise<Piece> {
  const replicas = await ledger.runs.replicas();
  if (replicas.length === 0) return "";
  return html`<h3 id="replicas">Replicas</h3>
      <ul>${replicas.map(
        ({ who, at, projects }) =>
          html`<li>${who}: last sign of life ${times.show(at)}, ${projects.length === 0 ? "runs nothing now" : `runs ${projects.join(", ")}`}</li>`,
      )}</ul>`;
}

async function see({ ledger, times }: Looking, known: PageProject) {
  const seen = await readProject(ledger, known.project.key, { ...known, now: times.now });
  const { memory } = seen;
  /** Whether the end of its pause is asked for. */
  const isResuming =
    memory !== undefined &&
    (await ledger.requests.pending(memory.id)).some(({ kind }) => kind === "resume-project");
  return { ...seen, known, isResuming };
}

/** The one sentence that a person comes for: how many projects stand as the worst of them does. */
function headingOf(projects: readonly Seen[]): string {
  const worst = stateKinds.find((kind) => projects.some(({ state }) => state.kind === kind)) ?? "in-sync";
  const number = projects.filter(({ state }) => state.kind === worst).length;
  const what = number === 1 ? headings[worst][0] : headings[worst][1];
  if (projects.every(({ state }) => !state.hasRun)) return "No run yet";
  return worst === "in-sync" ? "All in step" : `${number === 1 ? "1 project" : `${number} projects`} ${what}`;
}

const headings: Readonly<Record<StateKind, readonly [one: string, several: string]>> = {
  failing: ["is failing", "are failing"],
  "needs-you": ["needs you", "need you"],
  later: ["has posts that follow later", "have posts that follow later"],
  differs: ["has posts that differ and stay so", "have posts that differ and stay so"],
  "in-sync": ["is in step", "are in step"],
};

const looks: Readonly<Record<StateKind, Tone>> = {
  failing: "bad",
  "needs-you": "warn",
  later: "",
  differs: "",
  "in-sync": "good",
};

function renderProject(looking: Looking, seen: Seen): Markup {
  const { known, counts, last, report, state } = seen;
  const { key, settings } = known.project;
  const { kind, hasRun, failing } = state;
  const isKnown = hasRun || failing !== undefined;
  const facts: readonly Fact[] = [
    ["Last run", last === undefined ? "none" : renderRun(looking, last, report?.result ?? last.result)],
    [
      "Next run",
      known.nextRunAt === undefined ? "when somebody starts it" : looking.times.show(known.nextRunAt),
    ],
    ["Posts", counts?.posts ?? 0],
    ["Linked issues", html`<a href="${linksAddress({ project: key })}">${counts?.issues ?? 0}</a>`],
    ["Later", counts?.waiting ?? 0],
    ["Written by the last run", report === undefined ? "–" : describeWrites(report)],
  ];
  return html`<article class="card" aria-label="Project ${key}">
    <div class="head"><h3>${key} <span class="quiet">↔ ${settings.repo}</span></h3>
      <div class="side">${settings.writes !== "all" && html`<span class="badge warn">writes: ${settings.writes}</span> `}${badge(isKnown ? looks[kind] : "", isKnown ? stateWords[kind] : "no run yet")}${renderOrder(looking.forms, { kind: "run", project: key }, "Run now…")}${renderPause(looking, seen)}</div></div>
    <p>${renderSentence(describeState(state, looking.times.name))}</p>
    ${renderFacts(facts)}
  </article>`;
}

type Fact = readonly [title: string, fact: Piece];

function renderFacts(facts: readonly Fact[]): Markup {
  return html`<dl>${facts.map(([title, fact]) => html`<div><dt>${title}</dt><dd>${fact}</dd></div>`)}</dl>`;
}

/** What only maintainers ask: requests, and what is left of the pace. */
async function renderMachine(looking: Looking, { known, report }: Seen): Promise<Markup> {
  const facts: readonly Fact[] = [
    [
      "Requests of the last run",
      report === undefined ? "–" : html`board ${report.requests.board}, GitHub ${report.requests.tracker}`,
    ],
    ...(await describeBudgets(looking, known)),
  ];
  return html`<div class="machine"><h3>${known.project.key}</h3>
    ${renderFacts(facts)}</div>`;
}

/** The result is the project's own: another one of the same run may have failed. */
function renderRun(
  { times }: Looking,
  { run, startedAt, finishedAt }: StoredRun,
  result: StoredRun["result"],
): Markup {
  return html`${times.show(finishedAt)} <span class="quiet more"><a href="${runAddress(run)}">run ${run}</a>: ${resultWords[result]}, ${describeLength(finishedAt - startedAt)}</span>`;
}

function describeWrites(report: StoredReport): string {
  const { created, issueWrites, postWrites, made, entryWrites } = report;
  const parts = [
    created > 0 && `${created} opened`,
    issueWrites > 0 && `${issueWrites} to issues`,
    postWrites > 0 && `${postWrites} to posts${describeNotified(report)}`,
    made > 0 && `${made} made`,
    entryWrites > 0 && `${entryWrites} to the changelog`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

/** What is left of the pace of the last hour, and who wants to be left alone. */
async function describeBudgets(
  { view, ledger, times }: Looking,
  { project }: PageProject,
): Promise<readonly Fact[]> {
  const { pace } = view.policy;
  const names = repositoryNames(project.settings);
  const budgets = [...new Set(names.map((name) => view.budgetOf(name)))];
  const limitedBudgets = new Set([...budgets, ...names.map((name) => view.budgetOf(name, "signals"))]);
  const limits = [
    { name: "The board", until: await ledger.pace.limit("board", "") },
    ...(await inOrder(limitedBudgets, async (budget) => ({
      name: budget === "" ? "GitHub" : `GitHub (${budget})`,
      until: await ledger.pace.limit("tracker", budget),
    }))),
  ].flatMap(({ name, until }) => (until !== undefined && until > times.now ? [{ name, until }] : []));
  return [
    ...(await inOrder(budgets, async (budget) => {
      const writes = await ledger.pace.writes(times.now - hourMs, budget);
      const creates = writes.filter(({ isCreate }) => isCreate);
      return [
        budgets.length === 1 ? "Writes to GitHub this hour" : `Writes this hour (${budget})`,
        html`${writes.length} of ${pace.writesPerHour} <span class="quiet more">${creates.length} of ${pace.createsPerHour} new issues</span>`,
      ] as const;
    })),
    ...limits.map(({ name, until }) => [`${name} wants no request before`, times.show(until)] as const),
  ];
}

export function renderErrors(key: string, { errors }: StoredReport): Markup | undefined {
  if (errors.length === 0) return undefined;
  const more = errors.length - mostErrors;
  const advice = [...new Set(errors.map((error) => error.advice))].filter((said) => said !== undefined);
  return html`<ul class="waits">${errors.slice(0, mostErrors).map(
    ({ post, issue, code, message }) => html`<li><span class="badge bad">failed</span>
      ${post !== undefined && html`<a href="${postAddress(key, post)}"><bdi>${key}/${post}</bdi></a>`} ${issue}
      <p>${renderSentence(message)} <code>${code}</code></p></li>`,
  )}</ul>${advice.map((said) => html`<p>${renderSentence(said)}</p>`)}${more > 0 && html`<p class="quiet">And ${more} more: ${renderCommand("boardsync status")}</p>`}`;
}

/** Who was notified; '' where nobody was. */
export function describeNotified({
  voters,
  statusWrites,
}: Pick<StoredReport, "voters" | "statusWrites">): string {
  if (statusWrites === 0 || voters === 0) return "";
  return `, ${nameVoters(countVoters([voters]))} notified`;
}
