import type { Issue, IssueRecord, RepositoryName } from "../../model/issue.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { type Marker, parseMarker } from "../../plan/text/marker.ts";
import type { World } from "../../sync/ground/world.ts";
import { isOurLogin } from "../../sync/read/identify.ts";
import type { SignalWish } from "../../tracker/tracker.ts";

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
 * Looks at every issue of a repository, whoever opened it. Complete, or it throws.
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
    done += page.issues.length;
    world.progress?.show({ project, what: "issues read", done, total: undefined });
  }
  await addEditors(world, found, bounds);
  return [...found.values()].toSorted((one, other) => one.issue.number - other.issue.number);
}

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
