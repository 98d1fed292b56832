import type { Ledger } from "../../ledger/ledger.ts";
import type { ProjectMemory } from "../../ledger/memory.ts";
import type { Absence, Issue, IssueRecord, IssueRef, RepositoryName } from "../../model/issue.ts";
import { isSameIssue } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { type Marker, parseMarker } from "../../plan/text/marker.ts";
import { inOrder, select } from "../../select.ts";
import { findOthers } from "../../sync/decide/adopt.ts";
import { nameIssue } from "../../sync/ground/cycle-state.ts";
import type { World } from "../../sync/ground/world.ts";
import { isOurLogin } from "../../sync/read/identify.ts";
import { isOurBoard } from "../../sync/read/other-marks.ts";
import type { SignalWish } from "../../tracker/tracker.ts";

/** What a person should know of a project after its rebuild. Issues are `owner/name#number`. */
export type RebuildFindings = Awaited<ReturnType<typeof findAll>>;

/** What the findings rest on. */
export interface Survey {
  readonly memory: ProjectMemory;
  /** Every project of the config, also those that this rebuild leaves out. */
  readonly configured: ReadonlySet<ProjectId>;
  /** Whether the board's list came through: only then can a post be missing from it. */
  readonly isListComplete: boolean;
  readonly issues: readonly SurveyedIssue[];
  /** Those of repositories that no other project has spoken for: what belongs to no project is said once. */
  readonly first: readonly SurveyedIssue[];
}

/** More than this is never told. */
const maxRows = 100_000;

/** One issue with a mark for this board, for one of the posts that it names. */
type MarkedPost = SurveyedIssue & Pick<Marker, "project"> & { readonly post: PostId };

/** What there is to say of a project, its repositories, and the links that it has now. */
export async function findAll(world: World, survey: Survey) {
  const { ledger, clock, policy } = world;
  const { memory, issues, first } = survey;
  const name = (issue: IssueRef): string => nameIssue({ world }, issue);
  const rowOf = (post: PostId): Promise<Row | undefined> => ledger.rows.row(memory.id, post, clock.now());
  const mine = markedPosts(issues, policy).filter(({ project }) => project === memory.id);
  const ours = mine.filter(({ isOurs }) => isOurs);
  const foreign = markedPosts(first, policy).filter(
    ({ isOurs, project }) => isOurs && !survey.configured.has(project),
  );
  const unlisted = survey.isListComplete
    ? await select(ours, async ({ post }) => (await rowOf(post))?.missing !== 0)
    : [];
  return {
    /** Linked pairs whose two sides differ: they stay so until one of them changes. */
    disagreements: (await ledger.rows.waiting(memory.id, maxRows))
      .filter(({ kind }) => kind === "disagreement")
      .map(({ post, issues: linked, message }) => ({
        post: String(post),
        issues: linked.map(name),
        message,
      })),
    /** Posts that several open issues carry the mark of: `used` is linked, the others are too many. */
    duplicates: (
      await inOrder([...new Set(ours.map(({ post }) => post))], async (post) =>
        findDuplicates(ledger, memory.id, await rowOf(post), name),
      )
    ).flat(),
    /** Marks of authors who are not ours: not believed. `author`: null for a deleted account. */
    strangers: await inOrder(
      mine.filter(({ isOurs }) => !isOurs),
      async ({ issue, post, author }) => {
        return { issue: name(issue), post, author, linked: ((await rowOf(post))?.links.length ?? 0) > 0 };
      },
    ),
    /** Issues of ours whose text others have changed: the mark may be theirs. `editors`: null for a deleted account. */
    edited: ours
      .filter(({ editors }) => editors === "unknown" || editors.length > 0)
      .map(({ issue, post, editors }) => ({ issue: name(issue), post, editors })),
    /** Issues of ours whose mark can't be read. `linked`: whether the state knows the issue all the same. */
    unreadable: await inOrder(
      first.filter(({ marker }) => marker === undefined),
      async ({ issue }) => {
        const linked = await ledger.pulls.linkedIssues(issue.repositoryId);
        return { issue: name(issue), linked: linked.some((one) => isSameIssue(one, issue)) };
      },
    ),
    /** Issues of ours for posts that the board doesn't list, or of a project that the config doesn't have. */
    orphans: [
      ...unlisted.map(({ issue, post }) => ({ issue: name(issue), post, reason: "not listed" as const })),
      ...foreign.map(({ issue, post }) => ({ issue: name(issue), post, reason: "not configured" as const })),
    ],
    /** Linked issues that are not where they were. */
    absent: (await ledger.absences.ofProject(memory.id)).map(({ post, issue, absence }) => ({
      issue: name(issue),
      post,
      reason: describeAbsence(absence),
    })),
    /** How many issues of ours carry the mark of another board, that is, of another `board.url`. */
    otherBoards: first.filter(({ isOurs, marker }) => {
      return isOurs && marker !== undefined && !isOurBoard(policy, marker.board);
    }).length,
  };
}

function markedPosts(issues: readonly SurveyedIssue[], policy: World["policy"]): readonly MarkedPost[] {
  return issues.flatMap((surveyed) => {
    const { marker } = surveyed;
    if (marker === undefined || !isOurBoard(policy, marker.board)) return [];
    return marker.posts.map((post) => ({ ...surveyed, project: marker.project, post }));
  });
}

async function findDuplicates(
  ledger: Ledger,
  project: ProjectId,
  row: Row | undefined,
  name: (issue: IssueRef) => string,
) {
  const used = row?.links[0]?.link.issue;
  const found = row && (await ledger.pulls.marked(project, row.post.id));
  if (row === undefined || used === undefined || found === undefined) return [];
  const others = await findOthers(ledger, row, found);
  return others.length === 0 ? [] : [{ post: row.post.id, used: name(used), others: others.map(name) }];
}

function describeAbsence(absence: Absence): string {
  switch (absence.kind) {
    case "moved":
      return `moved to ${absence.name}#${absence.to.number}`;
    case "deleted":
      return "deleted";
    case "refused":
      return "not shown to the token now";
    case "missing":
    case "lost":
      return "not found, or not visible to the token";
  }
}

/** An issue that has to do with marks: it begins with one, or we opened it and it has something like one. */
export interface SurveyedIssue {
  readonly issue: Issue;
  /** null for a deleted account. */
  readonly author: string | null;
  /** Whether our account opened it, or one whose marks count like ours. */
  readonly isOurs: boolean;
  /** Others than us who have changed the text, which may be what the mark says now; "unknown" where that can't be told. */
  readonly editors: readonly (string | null)[] | "unknown";
  /** undefined where it can't be read: people have changed it, or have written above it. */
  readonly marker: Marker | undefined;
}

/** Part of every mark, of this version and of any other. */
const trace = "<!-- boardsync:";

/**
 * Looks at every issue of a repository, whoever opened it. Complete, or it throws; but what can't be read is left out, and named in
 * the log.
 *
 * @param project as progress names it.
 */
export async function surveyRepository(
  world: World,
  name: RepositoryName,
  project: string,
  bounds: ReadBounds,
): Promise<readonly SurveyedIssue[]> {
  const known = world.ledger.memory.repository(name);
  const account = world.ledger.memory.account();
  if (known === undefined || account === undefined) return [];
  const found = new Map<number, SurveyedIssue>();
  let done = 0;
  const query = { kind: "since", since: undefined } as const;
  for await (const page of world.tracker.listIssues(known.repository, query, bounds)) {
    for (const record of page.issues) {
      const surveyed = survey(record, isOurLogin(world, account.login, record.author));
      // An issue may come twice; the later record counts.
      if (surveyed === undefined) found.delete(record.issue.number);
      else found.set(record.issue.number, surveyed);
    }
    for (const { issue, error } of page.odd ?? [])
      world.log.warn({ issue: `${name}#${issue.number}`, reason: error.message }, unreadable);
    done += page.issues.length;
    world.progress?.show({ project, what: "issues read", done, total: undefined });
  }
  await addEditors(world, found, bounds);
  return [...found.values()].toSorted((one, other) => one.issue.number - other.issue.number);
}

const unreadable = "An issue can't be read: it is left out of this look";

/** A mark of ours counts, whoever has changed it since: without a state nobody knows what it said. */
async function addEditors(
  world: World,
  found: Map<number, SurveyedIssue>,
  bounds: ReadBounds,
): Promise<void> {
  const account = world.ledger.memory.account()?.login ?? "";
  const marked = [...found.values()].filter(({ isOurs, marker }) => isOurs && marker !== undefined);
  const byNode = new Map(marked.map((surveyed) => [surveyed.issue.nodeId, surveyed]));
  for await (const page of world.tracker.readSignals([...byNode.keys()], editorsOnly, bounds)) {
    for (const { nodeId, editors } of page) {
      const surveyed = byNode.get(nodeId);
      if (surveyed === undefined || editors === undefined) continue;
      const others =
        editors.kind === "unknown"
          ? "unknown"
          : editors.value.filter((login) => !isOurLogin(world, account, login));
      found.set(surveyed.issue.number, { ...surveyed, editors: others });
    }
  }
}

const editorsOnly: SignalWish = {
  editors: true,
  pullRequests: false,
  subIssues: false,
  released: false,
  duplicates: false,
  projects: [],
  facts: false,
};

function survey({ issue, author, body }: IssueRecord, isOurs: boolean): SurveyedIssue | undefined {
  const marker = parseMarker(body);
  if (marker === undefined && !(isOurs && body.includes(trace))) return undefined;
  return { issue, author, isOurs, editors: [], marker };
}
