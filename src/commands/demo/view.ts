import { project, repository } from "../../demo/company.ts";
import type { Story } from "../../demo/story.ts";

/** One field that a sync has changed on one side. */
export interface FieldChange {
  readonly side: "board" | "GitHub";
  /** The post, or the issue. */
  readonly where: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

type ShownFields = Readonly<Record<string, string>>;

/** Everything on both sides that a sync may write. */
export type Snapshot = Readonly<Record<FieldChange["side"], ReadonlyMap<string, ShownFields>>>;

/** Looks at both sides. */
export function takeSnapshot({ board, github }: Story): Snapshot {
  return {
    board: new Map(
      board
        .posts(project)
        .map(({ id, status, roadmapColumn, onRoadmap }) => [
          id,
          { status, roadmapColumn: roadmapColumn ?? "–", onRoadmap: String(onRoadmap) },
        ]),
    ),
    GitHub: new Map(
      github
        .issues(repository)
        .map(({ number, title, body, state, labels }) => [
          `${repository}#${number}`,
          { title, text: body ?? "", state, labels: labels.join(", ") },
        ]),
    ),
  };
}

/** What is different now, the board first. */
export function findChanges(before: Snapshot, after: Snapshot): readonly FieldChange[] {
  return (["board", "GitHub"] as const).flatMap((side) =>
    [...after[side]].flatMap(([where, fields]) => {
      const known = before[side].get(where) ?? {};
      return Object.entries(fields)
        .filter(([field, value]) => value !== known[field])
        .map(([field, value]) => ({ side, where, field, before: known[field] ?? "–", after: value }));
    }),
  );
}
