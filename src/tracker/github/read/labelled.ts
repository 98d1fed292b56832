import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import type { IssueRef, LabelledIssue, Repository } from "../../../model/issue.ts";
import type { Listed } from "../../tracker.ts";
import type { Access } from "../wire/access.ts";
import { insiders, isObject, readEach, readIssueRow } from "../wire/shapes.ts";
import { type ConditionalList, readWholeList } from "./lists.ts";
import { readPagesOf } from "./reading.ts";

/** Who sets labels is read of an issue's last events at most: pages of 100. */
const mostPages = 20;

/** The open issues of a repository that have all of these labels, oldest first, as `readWholeList` does it. */
export function listLabelled(
  access: Access,
  repository: Repository,
  { labels, etag }: { readonly labels: readonly string[]; readonly etag: string | undefined },
): Promise<Listed<LabelledIssue>> {
  const wanted = labels.map((label) => label.toLowerCase());
  // A comma parts two labels there; such a one is looked for here.
  const asked = labels.filter((label) => !label.includes(","));
  const list: ConditionalList<LabelledIssue> = {
    list: "issues by label",
    endpoint: ({ rest }) => rest.issues.listForRepo,
    parameters: {
      state: "open",
      ...(asked.length > 0 && { labels: asked.join(",") }),
      sort: "created",
      direction: "asc",
    },
    readRows: (data) =>
      readEach(data, "issues", z.unknown()).flatMap((row) => {
        const issue = readLabelled(row, repository);
        const names = issue?.issue.labels.map((name) => name.toLowerCase());
        return issue !== undefined && wanted.every((name) => names?.includes(name)) ? [issue] : [];
      }),
  };
  return readWholeList(access, repository, list, etag);
}

/** What is odd about one issue hides no other. */
function readLabelled(value: unknown, { id }: Repository): LabelledIssue | undefined {
  try {
    const { content } = readIssueRow(value);
    if (content === undefined) return undefined;
    const association = isObject(value) ? value["author_association"] : undefined;
    const isInside = typeof association === "string" && insiders.has(association);
    return { ...content.recordIn(id), ...(!isInside && { isOutside: true as const }) };
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

const eventShape = z
  .object({
    event: z.enum(["closed", "reopened", "labeled", "unlabeled", "milestoned", "demilestoned"]),
    actor: z.object({ login: z.string(), type: z.unknown().optional() }),
    label: z.object({ name: z.string() }).nullish(),
    milestone: z.object({ title: z.string() }).nullish(),
    created_at: z.string(),
  })
  .transform(({ event, actor, label, milestone, created_at: at }) => {
    const name = label?.name ?? milestone?.title ?? "";
    return { kind: event, name, login: actor.login, isPerson: actor.type === "User", at };
  });

/** The port's `events`. */
export async function readEvents(access: Access, issue: IssueRef) {
  const found: z.output<typeof eventShape>[] = [];
  let count = 0;
  for await (const page of readPagesOf(access, issue, "events")) {
    for (const row of readEach(page.data, "events", z.unknown())) {
      const event = eventShape.safeParse(row).data;
      if (event !== undefined) found.push(event);
    }
    count += 1;
    if (count >= mostPages) break;
  }
  return found;
}

/** Which person set each label last, by its name in lower case. */
export async function readLabellers(access: Access, issue: IssueRef): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { kind, name, login, isPerson } of await readEvents(access, issue))
    if (kind === "labeled" && isPerson) found.set(name.toLowerCase(), login);
  return found;
}
