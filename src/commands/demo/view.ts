import type { SandboxBoard } from "../../sandbox/board/board.ts";
import type { SandboxGitHub } from "../../sandbox/github/github.ts";
import { projectNames, type Story } from "../../sandbox/story.ts";
import { printRecords, printTable } from "../print/table.ts";
import type { Output } from "../print/terminal.ts";

/** The posts of all projects. */
export function printPosts(out: Output, board: SandboxBoard): void {
  const posts = projectNames.flatMap((project) => board.posts(project).map((post) => ({ project, ...post })));
  printRecords(
    out,
    [
      { title: "project", show: ({ project }) => project },
      { title: "post", show: ({ id }) => id },
      { title: "title", show: ({ title }) => title },
      { title: "votes", show: ({ votes }) => String(votes) },
      { title: "status", show: ({ status, isArchived }) => (isArchived ? `${status}, archived` : status) },
      { title: "roadmap", show: ({ roadmapColumn }) => roadmapColumn ?? "–" },
    ],
    posts,
  );
}

/** The issues of all repositories. */
export function printIssues(out: Output, github: SandboxGitHub): void {
  const issues = github.repositories.flatMap((name) =>
    github.issues(name).map((issue) => ({ name, ...issue })),
  );
  printRecords(
    out,
    [
      { title: "issue", show: ({ name, number }) => `${name}#${number}` },
      { title: "title", show: ({ title }) => title },
      { title: "state", show: ({ state }) => state },
      { title: "labels", show: ({ labels }) => labels.join(", ") },
    ],
    issues,
  );
}

/** One field that a sync has changed on one side. */
export interface Change {
  readonly side: "board" | "GitHub";
  /** The post, or the issue. */
  readonly where: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

type Fields = Readonly<Record<string, string>>;

/** Everything on both sides that a sync may write. */
export type Snapshot = Readonly<Record<Change["side"], ReadonlyMap<string, Fields>>>;

/** Looks at both sides. */
export function takeSnapshot({ board, github }: Story): Snapshot {
  const posts = projectNames.flatMap((project) => board.posts(project));
  const issues = github.repositories.flatMap((name) =>
    github.issues(name).map((issue) => ({ name, ...issue })),
  );
  return {
    board: new Map(
      posts.map(({ id, status, roadmapColumn, onRoadmap }) => [
        id,
        { status, roadmapColumn: roadmapColumn ?? "–", onRoadmap: String(onRoadmap) },
      ]),
    ),
    GitHub: new Map(
      issues.map(({ name, number, title, body, state, labels }) => [
        `${name}#${number}`,
        { title, text: body ?? "", state, labels: labels.join(", ") },
      ]),
    ),
  };
}

/** What is different now, the board first. */
export function findChanges(before: Snapshot, after: Snapshot): readonly Change[] {
  return (["board", "GitHub"] as const).flatMap((side) =>
    [...after[side]].flatMap(([where, fields]) =>
      compare(side, where, before[side].get(where) ?? {}, fields),
    ),
  );
}

function compare(side: Change["side"], where: string, before: Fields, after: Fields): readonly Change[] {
  return Object.entries(after)
    .filter(([field, value]) => value !== before[field])
    .map(([field, value]) => ({ side, where, field, before: before[field] ?? "–", after: value }));
}

/** What a sync has changed; a whole text only as the words that are new in it. */
export function printChanges(out: Output, changes: readonly Change[]): void {
  if (changes.length === 0) {
    out.write("Nothing is written on either side.\n");
    return;
  }
  printTable(
    out,
    ["side", "where", "field", "before", "after"],
    changes.map(({ side, where, field, before, after }) =>
      field === "text" ? [side, where, field, "…", "rewritten"] : [side, where, field, before, after],
    ),
  );
}
