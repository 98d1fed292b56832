import { z } from "zod";
import {
  category,
  duration,
  instant,
  name,
  needsKeys,
  oneOrMany,
  roadmapColumn,
  status,
  wholeNumber,
} from "../values.ts";

/* `select`: which posts become issues. */

const onField = z.strictObject({
  statuses: oneOrMany(status).describe("The post has one of these statuses.").exactOptional(),
  categories: oneOrMany(category)
    .describe("The post has one of these categories: ids or names, as `boardsync check` lists them.")
    .exactOptional(),
  reviewed: z.boolean().describe("Whether the post is reviewed.").exactOptional(),
  onRoadmap: z.boolean().describe("Whether the post is on the roadmap.").exactOptional(),
  roadmapColumn: oneOrMany(roadmapColumn)
    .describe("The post is in one of these columns of the roadmap.")
    .exactOptional(),
  title: oneOrMany(name(200))
    .describe("One of these texts stands in the post's title, in any case. No patterns.")
    .exactOptional(),
  minVotes: wholeNumber(0, 1_000_000_000).describe("The post has at least this many votes.").exactOptional(),
  maxVotes: wholeNumber(0, 1_000_000_000).describe("The post has at most this many votes.").exactOptional(),
  archived: z
    .boolean()
    .describe("Whether the post is archived. Where no condition says so: not archived.")
    .exactOptional(),
  createdAfter: instant().describe("The post was created after this day or time (UTC).").exactOptional(),
  createdBefore: instant().describe("The post was created before this day or time (UTC).").exactOptional(),
  olderThan: duration("1s", "9999d").describe("The post was created so long ago.").exactOptional(),
});

interface Conditions extends z.output<typeof onField> {
  any?: Conditions[];
  not?: Conditions;
}

interface GivenConditions extends z.input<typeof onField> {
  any?: GivenConditions[];
  not?: GivenConditions;
}

/** Groups may stand in groups. */
const innerConditions: z.ZodType<Conditions, GivenConditions> = onField
  .extend({
    get any() {
      return anyOf();
    },
    get not() {
      return innerConditions.exactOptional();
    },
  })
  .check(needsKeys(1, "has no condition: name one"))
  .describe("Conditions that hold together.")
  .meta({ id: "conditions", minProperties: 1 });

function anyOf() {
  return z
    .array(innerConditions)
    .min(1)
    .max(100)
    .describe("At least one of these groups holds.")
    .exactOptional();
}

export const select = z
  .strictObject({ ...onField.shape, any: anyOf(), not: innerConditions.exactOptional() })
  .prefault({})
  .describe("Which posts become issues; every condition must hold. A linked post stays linked.");
