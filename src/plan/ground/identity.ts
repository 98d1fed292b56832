import { refOf } from "../../model/issue.ts";
import type { Field, FieldWrite } from "../../model/link.ts";
import type { Post } from "../../model/post.ts";
import { type Action, isNotified, type PatchPost, type UpdateIssue } from "./action.ts";
import { foldValue } from "./fields.ts";
import { hashText } from "./hash.ts";
import { byVotes, type RuleSettings, type Settings, sortsByVotes } from "./settings.ts";

/**
 * What settings and actions are known by. Each of these texts is compared with one that an earlier run, or an earlier version,
 * has kept, so none of them may come out otherwise than it did before.
 *
 * | question | answer | kept in |
 * |---|---|---|
 * | Must every row be decided again? | `settingsPrint` | the project's memory, saved plans |
 * | Have the rules changed, and what would the old ones make of this issue? | `writeRules` | the project's memory |
 * | Is this what a person was shown and approved? | `approvalSignature` | holds, approvals |
 * | Is this what was refused, and are the settings still the same? | `refusalSignature` | parked refusals |
 * | Would voters be notified of this a second time? | `doubtSignature` | parked doubts |
 * | Is this the action that a saved plan shows, or an undo? | `planSignature`, `noteSignature` | saved plans, the journal |
 * | Is this the request that was about to leave? | `hashBody` | the journal |
 */

/** Of everything that a decision depends on: when it changes, every row has to be decided again. */
export function settingsPrint(
  { changelog: _, categoryArgs: __, ...settings }: Settings,
  templates: object = {},
): string {
  return hashText(canonical({ settings, templates }));
}

/**
 * The settings that make targets out of issues, and nothing else, as text. When it changes, no issue has changed. The text is
 * kept, so that one can still evaluate what the old rules make of an issue.
 */
export function writeRules({ boardRules, ...settings }: RuleSettings): string {
  const { rules, several, whenNoRule, followDuplicates } = settings;
  const others = boardRules.length > 0 && { boardRules };
  return canonical({ reading, rules, several, whenNoRule, followDuplicates, ...others });
}

/** How these rules are read. It is part of their text: another reading makes other targets of the same issues, like other rules. */
const reading = "field by field";

/** Reads what `writeRules` has written; undefined where that is nothing, or was only a hash. */
export function readRules(text: string): RuleSettings | undefined {
  if (!text.startsWith("{")) return undefined;
  const { reading: _, ...known } = JSON.parse(text) as Omit<RuleSettings, "boardRules"> &
    Partial<RuleSettings> & { readonly reading: string };
  return { boardRules: [], ...known };
}

/**
 * What an action is known by: its kind and what it would write, not its reason. A refusal also holds the settings behind it, so that the write is tried again when they change. `writes` does not count: what would be
 * written is shown whatever it says, and a refused write must be known then, too.
 */
export function signatureOf(action: Action, behind?: Settings): string {
  const settings = behind && { ...behind, writes: undefined };
  return hashText(canonical({ kind: action.kind, content: contentOf(action), settings }));
}

/**
 * What a refusal is kept by. It ends when what was to be written to has changed: people may have made room in an issue's text, taken
 * a label away, or unlocked it; or given a post the category that the board asks for.
 *
 * @param post - of a PATCH: as it was when that was refused, or is now.
 */
export function refusalSignature(action: Action, settings: Settings, post?: Post): string {
  const seen = action.kind === "patch-post" && post ? [printPost(post)] : timesSeen(action);
  return [signatureOf(withoutOrder(action, settings), settings), ...seen].join(" ");
}

function printPost({ values }: Post): string {
  const { title, description, categoryId, isReviewed, isArchived } = values;
  return hashText(canonical({ title, description, categoryId, isReviewed, isArchived }));
}

/** An order by votes, which is a negative number, is refused as such: one vote more is no other write. */
function withoutOrder(action: Action, settings: Settings): Action {
  if (action.kind !== "patch-post" || !sortsByVotes(settings)) return action;
  const writes = action.writes.map((write) =>
    write.field === "roadmapOrder" && Number(write.value) < 0
      ? { ...write, before: undefined, value: byVotes }
      : write,
  );
  return { ...action, writes };
}

function timesSeen(action: Action): readonly string[] {
  switch (action.kind) {
    case "update-issue":
      return [action.seenAt];
    case "change-issue":
      return action.changes.map(({ seenAt }) => seenAt);
    case "comment-issue":
      return action.comments.map(({ seenAt }) => seenAt);
    case "create-issue":
    case "create-post":
    case "patch-post":
      return [];
  }
}

/**
 * What an approval names an action by: all that a person is shown of it. An issue that is to be opened brings along the PATCH
 * that was shown with it, after a blank. How many have voted is left out of texts and labels: more votes are no other change.
 */
export function approvalSignature(action: Action): string {
  switch (action.kind) {
    case "create-issue": {
      const labels = action.labels.filter((label) => label !== action.voteLabel);
      const signature = signatureOf({ ...action, labels, body: withoutVotes(action.body, action) });
      return action.followUp === undefined ? signature : `${signature} ${signatureOf(action.followUp)}`;
    }
    case "update-issue":
      return signatureOf({ ...action, block: action.block && withoutVotes(action.block, action) });
    case "change-issue":
    case "comment-issue":
    case "create-post":
    case "patch-post":
      return signatureOf(action);
  }
}

/** A text without our own line of votes: nothing below that, but the post's address, can look like it. */
function withoutVotes(text: string, { votes }: Pick<UpdateIssue, "votes">): string {
  const at = votes === undefined ? -1 : text.lastIndexOf(votes);
  if (votes === undefined || at === -1) return text;
  return text.slice(0, at).replace(/(?:\n\n| · )$/, "") + text.slice(at + votes.length);
}

/** What a saved plan knows an action by: an issue that is to be opened brings along the PATCH that was shown with it. */
export function planSignature(action: Action): string {
  const signature = signatureOf(action);
  if (action.kind !== "create-issue" || action.followUp === undefined) return signature;
  return hashText(canonical({ signature, followUp: signatureOf(action.followUp) }));
}

/**
 * What a PATCH is known by whose outcome is in doubt: what voters would be notified of, and nothing else. Other settings, other
 * fields in the same PATCH, or another value on the post don't make it safe to send the same status again.
 */
export function doubtSignature({ kind, writes }: PatchPost): string {
  const notified = writes.filter(isNotified);
  const values = (notified.length > 0 ? notified : writes).map(({ field, value }) => [
    field,
    foldValue(field, value),
  ]);
  return hashText(canonical({ kind, inDoubt: values }));
}

/** What a saved plan knows a change of an internal note by: our line, and nothing of the rest, which is never kept. */
export function noteSignature(line: string | undefined): string {
  return hashText(line ?? "");
}

/** What the journal knows a request by: all of what is sent, in the order in which it is sent. */
export function hashBody(body: object): string {
  return hashText(JSON.stringify(body));
}

/** JSON that is the same text for the same content: keys sorted, undefined left out. */
export function canonical(value: object): string {
  if (Array.isArray(value)) return `[${value.map((part) => canonicalPart(part) ?? "null").join()}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const text = canonicalPart((value as Readonly<Record<string, unknown>>)[key]);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join()}}`;
}

function canonicalPart(part: unknown): string | undefined {
  return typeof part === "object" && part !== null ? canonical(part) : JSON.stringify(part);
}

function contentOf(action: Action): object {
  switch (action.kind) {
    case "create-issue": {
      const { repo, title, body, labels, assignees, milestone, type } = action;
      return { repo, title, body, labels, assignees, milestone, type };
    }
    case "update-issue": {
      const { issue, title, block } = action;
      return { issue: refOf(issue), title, block };
    }
    case "change-issue":
      return action.changes.map(({ issue, writes }) => ({
        ...refOf(issue),
        writes: writes.map(contentOfWrite),
      }));
    case "comment-issue":
      return action.comments.map(({ issue, write }) => ({ ...refOf(issue), target: write.target }));
    case "patch-post":
      return action.writes.map(contentOfWrite);
    case "create-post": {
      const { issue, title, body, category } = action;
      return { issue: refOf(issue), title, body, category };
    }
  }
}

function contentOfWrite({ field, before, value }: FieldWrite<Field>): object {
  return { field, before, value };
}
