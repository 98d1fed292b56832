import { z } from "zod";
import type { Issue, IssueField, Milestone, Named, Signals } from "../model/issue.ts";
import type {
  Field,
  FieldWrite,
  LeftText,
  PatchAnswer,
  PlannedChange,
  SentField,
  SentValue,
  Target,
  WriteKind,
} from "../model/link.ts";
import {
  type FieldValue,
  type Post,
  type PostField,
  postFields,
  type RuleField,
  ruleFields,
} from "../model/post.ts";
import type { AuditEntry } from "./journal.ts";
import { later } from "./stored.ts";

/**
 * What stands as JSON in the state. Older versions have left out what is optional here. Posts and issues are read by the ten
 * thousand: their shapes have no transforms, and each field has one kind, which costs half of what a union does.
 */

/** What a shape describes, to be read only. */
export type Shaped<Make extends () => z.ZodType> = ReadOnly<z.output<ReturnType<Make>>>;

type ReadOnly<T> = T extends string | number | boolean | null | undefined
  ? T
  : { readonly [Name in keyof T]: ReadOnly<T[Name]> };

/** A value of a field. */
export const valueShape = later(
  (): z.ZodType<FieldValue> => z.union([z.string(), z.number(), z.boolean(), z.null()]),
);

const text = z.string().nullable().exactOptional();
const flag = z.boolean().nullable().exactOptional();
const number = z.number().nullable().exactOptional();

/** The fields of a post, and what of it can't be read. */
export const postShape = later(
  (): z.ZodType<Post["values"] & Pick<Post, "unread">> =>
    z.object({
      unread: z.array(z.enum(postFields)).exactOptional(),
      status: text,
      roadmapColumn: text,
      roadmapOrder: number,
      roadmapPublic: flag,
      onRoadmap: flag,
      isReviewed: flag,
      isArchived: flag,
      categoryId: text,
      title: text,
      description: text,
      votes: number,
      url: text,
      createdAt: text,
      updatedAt: text,
    } satisfies Record<PostField | "unread", z.ZodType>),
);

/** A milestone. */
export const milestoneShape = later(
  (): z.ZodType<Milestone> =>
    z.object({
      number: z.number(),
      title: z.string(),
      state: z.enum(["open", "closed"]),
    }),
);

/** A label or an issue type. */
export const namedShape = later(
  (): z.ZodType<Named> => z.object({ id: z.string().exactOptional(), name: z.string() }),
);

/** Which issue. */
export const refShape = later(() => z.object({ repositoryId: z.number(), number: z.number() }));

/** The facts of an issue. */
export const issueShape = later(
  (): z.ZodType<Issue> =>
    z.object({
      ...refShape().shape,
      nodeId: z.string(),
      state: z.enum(["open", "closed"]),
      stateReason: z.string().nullable(),
      closed: z.object({ at: z.string(), by: z.string().nullable() }).exactOptional(),
      labels: z.array(z.string()),
      labelIds: z.array(z.string()).exactOptional(),
      assignees: z.array(z.string()),
      milestone: milestoneShape().nullable(),
      formerMilestone: z.number().exactOptional(),
      type: z.string().nullable(),
      typeId: z.string().exactOptional(),
      locked: z.boolean(),
      createdAt: z.string(),
      updatedAt: z.string(),
    }),
);

/** What may not have been readable. */
function readable<T>(value: z.ZodType<T>) {
  return z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("known"), value }),
      z.object({
        kind: z.literal("unknown"),
        message: z.string(),
        isTooLarge: z.literal(true).exactOptional(),
      }),
    ])
    .exactOptional();
}

/** What an issue's own record does not tell. */
export const signalsShape = later(
  (): z.ZodType<Signals> =>
    z.object({
      pullRequests: readable(
        z.array(
          z.object({
            repository: z.string(),
            number: z.number(),
            state: z.enum(["open", "closed", "merged"]),
            isDraft: z.boolean(),
            isOutside: z.literal(true).exactOptional(),
          }),
        ),
      ),
      subIssues: readable(z.object({ total: z.number(), closed: z.number() })),
      projectStatus: z.record(z.string(), readable(z.string().nullable()).unwrap()).exactOptional(),
      isReleased: readable(z.boolean()),
      canonical: readable(
        z.object({ ...refShape().shape, isOutside: z.literal(true).exactOptional() }).nullable(),
      ),
    }),
);

/** What an action would write. */
export const plannedShape = later(
  (): z.ZodType<PlannedChange> =>
    z.object({
      place: z.string().nullable(),
      changes: z.array(z.object({ field: z.string(), from: valueShape().exactOptional(), to: valueShape() })),
      notifies: z.number().nullable(),
    }),
);

/** What an action writes. */
export const writeKind = later(
  (): z.ZodType<WriteKind> =>
    z.enum(["create-issue", "update-issue", "change-issue", "comment-issue", "patch-post", "create-post"]),
);

/** A field that a rule may set on a post. */
export const ruleField = later((): z.ZodType<RuleField> => z.enum(ruleFields));

/** A field that a board rule may set on an issue. */
export const issueField = later(
  (): z.ZodType<IssueField> =>
    z.union([z.enum(["state", "milestone", "comment"]), z.templateLiteral(["label:", z.string()])]),
);

/** What was sent to a post. */
export const sentValuesShape = later(
  (): z.ZodType<readonly SentValue[]> =>
    z.array(z.object({ field: ruleField(), before: valueShape().optional(), value: valueShape() })),
);

/** What was sent to an issue. */
export const sentFieldsShape = later(
  (): z.ZodType<readonly SentField[]> => z.array(z.object({ field: issueField(), value: valueShape() })),
);

const targetShape = later(
  (): z.ZodType<Target> =>
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("value"), value: valueShape() }),
      z.object({ kind: z.literal("none") }),
    ]),
);

/** What an intent writes. */
export function writesShape<Name extends Field>(
  field: z.ZodType<Name>,
): z.ZodType<readonly FieldWrite<Name>[]> {
  return z.array(
    z
      .object({ field, before: valueShape().optional(), value: valueShape(), target: targetShape() })
      .transform(({ before, ...rest }) => ({ before, ...rest })),
  );
}

/** What an answer to a PATCH showed. */
export const answerShape = later(
  (): z.ZodType<PatchAnswer> =>
    z.object({
      values: z.partialRecord(z.enum(ruleFields), valueShape()),
      updatedAt: z.string().exactOptional(),
    }),
);

/** A text that is not to be written. */
export const leftTextShape = later(
  (): z.ZodType<LeftText> =>
    z.object({
      titleHash: z.string(),
      blockHash: z.string(),
      seenAt: z.string().exactOptional(),
    }),
);

/** What was written, as the audit has it. */
export const auditFieldsShape = later(
  (): z.ZodType<AuditEntry["fields"]> =>
    z.array(z.object({ field: z.string(), before: valueShape().exactOptional(), value: valueShape() })),
);
