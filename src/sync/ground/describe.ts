import type { Field, FieldWrite, PlannedChange, Row } from "../../model/link.ts";
import type { FieldValue } from "../../model/post.ts";
import { type Action, changeOf } from "../../plan/ground/action.ts";
import { nameIssue } from "./cycle-state.ts";
import type { PlannedAction } from "./reports.ts";
import type { World } from "./world.ts";

/** Where the post is yet to be made: its title is what there is to show. */
export const newPost = "new post";

/** What is told of a comment where its text is not at hand. */
export const ruleText = "the text of the board rule";

/** The words of another sentence, as one in brackets says them: without the full stop. */
export function inBrackets(words: string): string {
  return `(${words.replace(/\.$/, "")})`;
}

/** What an action would write, for the note of what waits: of a new issue that is the PATCH which follows it. */
export function describeChange(cycle: Told, row: Row, action: Action): PlannedChange {
  const lines = describeAction(cycle, row, action);
  const [first] = lines;
  if (action.kind === "create-issue") {
    const followUp = action.followUp && describeChange(cycle, row, action.followUp);
    return { changes: [], notifies: 0, ...followUp, place: action.repo };
  }
  const place = first?.issue === null ? null : lines.map(({ issue }) => issue).join(", ");
  const changes =
    action.kind === "comment-issue"
      ? [{ field: "comment", to: ruleText }]
      : action.kind === "create-post"
        ? [{ field: newPost, to: action.title }]
        : lines.flatMap(changesOf);
  return { place, changes, notifies: first === undefined ? 0 : first.notifies };
}

/** What is described: for this only the names of repositories are known. */
type Told = { readonly world: Pick<World, "ledger"> };

function changesOf({ fields, before }: PlannedAction): PlannedChange["changes"] {
  return Object.entries(fields).map(([field, to]) => ({
    field,
    ...(field in before && { from: before[field] ?? null }),
    to: to as FieldValue,
  }));
}

/** The same of one field alone; undefined where the action does not write it. */
export function describeField(
  cycle: Told,
  row: Row,
  action: Action,
  field: Field,
): PlannedChange | undefined {
  const { place, changes, notifies } = describeChange(cycle, row, action);
  const own = changes.filter((change) => change.field === field);
  return own.length === 0 ? undefined : { place, changes: own, notifies: field === "status" ? notifies : 0 };
}

/** An action in words for a person and a script; a create is followed by the PATCH that it leads to. */
export function describeAction(cycle: Told, row: Row, action: Action): readonly PlannedAction[] {
  const { kind, post, reason } = action;
  const title = titleOf(row);
  const tell = (told: Pick<PlannedAction, "issue" | "fields" | "before">, notifies: number | null = 0) =>
    ({ kind, post, title, ...told, reason, notifies, when: "now" }) as const;
  switch (action.kind) {
    case "create-issue": {
      const { repo: issue, labels, assignees, milestone, type, followUp } = action;
      const named = { ...(milestone && { milestone }), ...(type && { type }) };
      const fields = { title: action.title, labels, assignees, ...named };
      const create = tell({ issue, fields, before: {} });
      return followUp === undefined ? [create] : [create, ...describeAction(cycle, row, followUp)];
    }
    case "update-issue": {
      const fields = {
        ...(action.title !== undefined && { title: action.title }),
        ...(action.block !== undefined && { body: "the managed block" }),
      };
      return [tell({ issue: nameIssue(cycle, action.issue), fields, before: {} })];
    }
    case "change-issue":
      return action.changes.map(({ issue, writes }) => {
        const fields = Object.fromEntries(writes.map(({ field, value }) => [field, value]));
        return tell({ issue: nameIssue(cycle, issue), fields, before: beforeOf(writes) });
      });
    case "comment-issue":
      return action.comments.map(({ issue, body }) => {
        const fields = { comment: body.slice(body.indexOf("\n") + 1) };
        return tell({ issue: nameIssue(cycle, issue), fields, before: {} });
      });
    case "patch-post": {
      const first = row.links[0]?.link.issue;
      const issue = first === undefined ? null : nameIssue(cycle, first);
      return [tell({ issue, fields: changeOf(action), before: beforeOf(action.writes) }, action.notifies)];
    }
    case "create-post": {
      const category = action.category === undefined ? {} : { category: action.category };
      const fields = { title: action.title, ...category };
      return [tell({ issue: nameIssue(cycle, action.issue), fields, before: {} })];
    }
  }
}

/** Of the post; null where the board shows none. */
export function titleOf({ post }: Row): string | null {
  const { title = null } = post.values;
  return title === null ? null : String(title);
}

function beforeOf(writes: readonly FieldWrite<Field>[]): PlannedAction["before"] {
  return Object.fromEntries(
    writes.flatMap(({ field, before }) => (before === undefined ? [] : [[field, before]])),
  );
}
