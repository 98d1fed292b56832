import type { IssueRef } from "../../../model/issue.ts";
import { hourMs } from "../../../model/time.ts";
import type { Browse, BrowsedLink, LinkPage, LinkSearch, RunHistory, RunSpan } from "../../rows.ts";
import type { Queries } from "../columns/numbers.ts";
import { sql } from "../statements.ts";
import type { Asked, Plain } from "../store.ts";

/** Links that one statement reads, and that one search looks at before it lets other work have its turn. */
const windowSize = 1000;
const windowsASearch = 10;
/** Runs that a history counts: a month of one every two minutes. */
const mostRuns = 22_000;

/** The place of a link in the order of the list. */
interface Cursor extends IssueRef {
  readonly row: number;
}

interface LinkColumns extends Cursor, Omit<BrowsedLink, "issue" | "waits" | "title" | "status"> {
  readonly title?: string;
  readonly status?: string;
  /** Of the post's notes. */
  readonly kinds?: string;
}

/** Before every link: the list runs from the newest issue of the last repository downwards. */
const beginning: Cursor = {
  repositoryId: Number.MAX_SAFE_INTEGER,
  number: Number.MAX_SAFE_INTEGER,
  row: Number.MAX_SAFE_INTEGER,
};

/** What people look through, page by page. */
export function createBrowse(on: Queries): Plain<Browse> {
  const { get, all, numbers } = on;
  function* search(project: number, { text, state, after, limit }: LinkSearch): Asked<LinkPage> {
    const wanted = text.trim().toLowerCase();
    const found: LinkColumns[] = [];
    let place = readPlace(after);
    for (let windows = 0; windows < windowsASearch; windows++) {
      const { repositoryId, number, row } = place;
      const window = yield* all<LinkColumns>`
        SELECT links.repository AS repository_id, links.number AS number, links.post AS row, posts.id AS post,
          post_facts.title AS title, post_facts.status AS status, repositories.current_name AS repository,
          issues.state AS state, issues.state_reason AS state_reason, absences.kind AS absence,
          (SELECT string_agg(kind, ',') FROM notes WHERE notes.post = links.post) AS kinds
        FROM links INDEXED BY links_by_project
        CROSS JOIN posts ON posts.number = links.post
        LEFT JOIN post_facts ON post_facts.post = links.post
        LEFT JOIN issues ON issues.repository = links.repository AND issues.number = links.number
        LEFT JOIN absences ON absences.repository = links.repository AND absences.number = links.number
        LEFT JOIN repositories ON repositories.id = links.repository
        WHERE links.project = ${project} AND (links.repository, links.number, links.post) < (${repositoryId}, ${number}, ${row})
        ORDER BY links.repository DESC, links.number DESC, links.post DESC LIMIT ${windowSize}`;
      for (const columns of window) {
        if (found.length === limit) return { links: found.map(toLink), next: writePlace(place) };
        place = columns;
        if (isInState(columns, state) && isWanted(columns, wanted)) found.push(columns);
      }
      if (window.length < windowSize) return { links: found.map(toLink), next: undefined };
    }
    return { links: found.map(toLink), next: writePlace(place) };
  }

  return {
    *links(id, wanted) {
      const project = yield* numbers.findProject(id);
      return yield* on.read(() => search(project, wanted));
    },
    runs: (since, spanMs) =>
      on.read(function* (): Asked<RunHistory> {
        const oldest = yield* get<{ at: number }>`
          SELECT started_at AS at FROM runs INDEXED BY runs_started
          WHERE started_at >= ${since} AND finished_at IS NOT NULL ORDER BY started_at DESC LIMIT 1 OFFSET ${mostRuns - 1}`;
        const first = (
          oldest ??
          (yield* get<{ at: number }>`
          SELECT started_at AS at FROM runs WHERE started_at >= ${since} AND finished_at IS NOT NULL
          ORDER BY started_at LIMIT 1`)
        )?.at;
        // Runs that were deleted because they told nothing new go on to be counted.
        const quietFrom = sql`hour >= ${oldest?.at ?? since} / ${hourMs}`;
        const spans = yield* all<RunSpan>`
          SELECT span, sum(runs) AS runs, sum(writes) AS writes, sum(failures) AS failures, max(longest) AS longest_ms
          FROM (
            SELECT CAST((started_at - ${since}) / ${spanMs} AS INTEGER) AS span, count(DISTINCT runs.number) AS runs,
              coalesce(sum(writes), 0) AS writes, coalesce(sum(failures), 0) AS failures,
              max(finished_at - started_at) AS longest
            FROM runs CROSS JOIN run_projects ON run_projects.run = runs.number
            WHERE started_at >= ${first ?? since} AND finished_at IS NOT NULL GROUP BY span
            UNION ALL
            SELECT CAST((hour * ${hourMs} - ${since}) / ${spanMs} AS INTEGER), runs, 0, failures, longest_ms
            FROM quiet_runs WHERE ${quietFrom}
          ) AS counted GROUP BY span ORDER BY span`;
        const quiet = yield* get<{
          hour?: number;
        }>`SELECT min(hour) AS hour FROM quiet_runs WHERE ${quietFrom}`;
        const firstQuiet = quiet?.hour === undefined ? undefined : Math.max(since, quiet.hour * hourMs);
        const counted = [first, firstQuiet].filter((at) => at !== undefined);
        return {
          spans,
          countedFrom: counted.length === 0 ? undefined : Math.min(...counted),
          isCut: oldest !== undefined,
        };
      }),
  };
}

function readPlace(written: string | undefined): Cursor {
  const [, repositoryId, number, row] = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(written ?? "") ?? [];
  if (repositoryId === undefined) return beginning;
  return { repositoryId: Number(repositoryId), number: Number(number), row: Number(row) };
}

function writePlace({ repositoryId, number, row }: Cursor): string {
  return `${repositoryId}.${number}.${row}`;
}

function isInState(columns: LinkColumns, state: LinkSearch["state"]): boolean {
  switch (state) {
    case "any":
      return true;
    case "open":
    case "closed":
      return columns.state === state && columns.absence === undefined;
    case "absent":
      return columns.absence !== undefined;
    case "waiting":
      return waitsOf(columns).length > 0;
  }
}

/** SQLite knows the cases of the Latin letters only. */
function isWanted({ post, title, repository, number }: LinkColumns, wanted: string): boolean {
  if (wanted === "") return true;
  return [post, title ?? "", `${repository ?? ""}#${number}`].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

function waitsOf({ kinds }: LinkColumns): BrowsedLink["waits"] {
  const known = kinds?.split(",");
  return (["held", "parked", "quarantined"] as const).filter((kind) => known?.includes(kind));
}

function toLink(columns: LinkColumns): BrowsedLink {
  const { repositoryId, number, row: _, title = null, status = null, kinds: _kinds, ...found } = columns;
  return { ...found, title, status, issue: { repositoryId, number }, waits: waitsOf(columns) };
}
