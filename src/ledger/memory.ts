import { z } from "zod";
import type { ProjectFieldKey, RepositoryId, RepositoryName } from "../model/issue.ts";
import type { PagingWay } from "../model/page.ts";
import { type PostField, type ProjectId, postFields } from "../model/post.ts";
import { milestoneShape, namedShape, refShape, type Shaped } from "./shapes.ts";
import { later, parse } from "./stored.ts";

/**
 * Facts about the two sides that are asked for once and checked again every `fullEvery`. They are few, and held in the
 * process: as they were when the ledger was opened or its last run began, with all that it has committed since.
 */
export interface Memory {
  account(): AccountMemory | undefined;
  /** By the name that the config gives the project, or gave it last. */
  project(key: string): ProjectMemory | undefined;
  projectById(id: ProjectId): ProjectMemory | undefined;
  /** What asking the board for more of a project's list has shown last. */
  paging(project: ProjectId): PagingMemory | undefined;
  /** Where a project's list is to be gone on with, in the adapter's words: an earlier run could not read it to its end. */
  openList(project: ProjectId): string | undefined;
  /** By the name that the config uses. */
  repository(name: RepositoryName): RepositoryMemory | undefined;
  /** By its numeric id. */
  repositoryById(id: RepositoryId): RepositoryMemory | undefined;
  /** A field of a project of the tracker. */
  projectField(key: ProjectFieldKey): ProjectFieldMemory | undefined;
  /** How much of what the tracker answers for at once, where that is less than may be asked for. */
  sizes(): readonly SizeMemory[];
  /** What categories of a project are called, and what the config's names for them mean. */
  categories(project: ProjectId): CategoriesMemory | undefined;
  /** The schema that a tool of the board had when it was first used, by its name. */
  tool(name: string): ToolMemory | undefined;
}

/* What is remembered is stored as the JSON that its shape describes, and nothing else. */

/** A time, epoch ms, and a text: undefined where there is none. */
const time: z.ZodType<number | undefined> = z.number().optional();
const text: z.ZodType<string | undefined> = z.string().optional();
const projectId = z.string() as unknown as z.ZodType<ProjectId>;

export type CategoriesMemory = Shaped<typeof categoriesShape>;
export const categoriesShape = later(() =>
  z.object({
    project: projectId,
    categories: z.array(z.object({ id: z.string(), name: z.string() })),
    pins: z.array(z.object({ word: z.string(), id: z.string() })),
    /** When the board's tool has listed them; undefined where none has. */
    listedAt: time,
    /** Whether that tool, which may tell what a name means, was asked in vain. */
    isUnlisted: z.literal(true).exactOptional(),
  }),
);

/** A tool of the board that the config names. `print` stands for the schema of its arguments. */
export type ToolMemory = Shaped<typeof toolShape>;
export const toolShape = later(() => z.object({ name: z.string(), print: z.string() }));

/** `name`: what is asked for, in the tracker's words. After `until` more is tried again. */
export type SizeMemory = Shaped<typeof sizeShape>;
export const sizeShape = later(() => z.object({ name: z.string(), size: z.number(), until: z.number() }));

export type AccountMemory = Shaped<typeof accountShape>;
export const accountShape = later(() =>
  z.object({
    login: z.string(),
    /** Those before it, the last one first: what they had under way may still turn up. */
    former: z.array(z.string()).exactOptional(),
    /** When it was seen first after another one. */
    since: z.number().exactOptional(),
    checkedAt: z.number(),
  }),
);

/** What is known of the releases of a project, and of what was made of them. */
export type ChangelogMemory = NonNullable<ProjectMemory["changelog"]>;
const changelogShape = later(() =>
  z.object({
    repository: z.number(),
    /** The project's stamp (`stampOf`) at the first look: of an older state nothing is known that was made since. */
    copiedAt: time,
    /** Makes the next look conditional; undefined while something of the list is still to be done. */
    etag: text,
    /** By what settings, and since which full look, that holds; absent where an earlier version has noted it. */
    etagBy: z.string().optional(),
    /** Hash of the arguments with which the tool has published at once what it made: it is not called with them again. */
    publishing: z.string().optional(),
    /** Tags that were there at the first look: nothing is made of them. */
    noted: z.array(z.string()),
    /** Ids of these, whose tags may change. */
    notedIds: z.array(z.number()).optional(),
    /** Ids of those that were pre-releases then, and as such unwanted: when one becomes a release it is a new one. */
    unripe: z.array(z.number()).optional(),
    entries: z.array(entryShape()),
  }),
);

/** A release that has an entry, or is about to. */
export type EntryMemory = Shaped<typeof entryShape>;
const entryShape = later(() =>
  z.object({
    /** By this it is known, also when the tag of its release changes. */
    tag: z.string(),
    /** What its text was made of. */
    print: z.string(),
    /** As it was sent: by this it is looked up. */
    title: z.string(),
    /** Hash of what the board has shown of it since; of what was sent where it has shown nothing. */
    shown: z.string().optional(),
    /** How many posts it names. */
    posts: z.number(),
    /** Id of its release. */
    release: z.number().optional(),
    /** Until it is known to be made: ids of the entries that were there before; undefined where no whole list has shown them. */
    there: z.array(z.string()).optional(),
    /** Why the guard holds the draft that is to be made; undefined where it does not. */
    held: z.string().optional(),
    /** The release is gone, and people were told. */
    isGone: z.boolean().optional(),
  }),
);

export type ProjectMemory = Shaped<typeof projectShape>;
export const projectShape = later(() =>
  z.object({
    /** `project` of the config, which may name a project otherwise from one day to the next. */
    key: z.string(),
    id: projectId,
    name: z.string(),
    checkedAt: z.number(),
    /** Of all settings that a decision depends on: when it changes, every row is due. */
    settingsPrint: text,
    /** `rules`, `several` and `whenNoRule` by which the bases were made, as `writeRules` of the plan gives them. */
    rules: z.string().refine(areRules).optional() as typeof text,
    /** JSON: by what fields and words of the config the bases were made (`rebaseMeanings`); absent before the first look. */
    meanings: z.string().refine(areMeanings).optional(),
    /** The fields that the last usable pull showed. */
    seen: z.array(z.enum(postFields) as z.ZodType<PostField>),
    /** When all its rows were last up for a full look. */
    fullAt: time,
    lastSuccessAt: time,
    /** When a `rebuild` of it began: what was known of this project before that counts as that of an old copy. */
    rebuildStamp: z.number().optional(),
    /** The stamp (`stampOf`) of the copy after whose return both sides were taken as they were. */
    recoveredFrom: time,
    /** When both sides of its due pairs were last taken as they were because the state had been lost or was old. */
    settledAt: time,
    /** When a run last came to its end though something failed; see `lastSuccessAt`. */
    doneAt: z.number().optional(),
    /** The last run that an order other than `sync` has made: it does nothing of what the schedule asks for. */
    orderedRun: z.number().optional(),
    /** The last issue whose signals were read when a limit put off those of others: the next run begins behind it. */
    signalsFrom: refShape().optional(),
    /** When a run last had time for it, which was over before others of its projects had theirs; absent where there was none. */
    turnAt: z.number().optional(),
    /** Repositories of which a person has accepted for this project that they are public, with their `publicSince` then. */
    acceptedPublic: z.array(z.object({ repositoryId: z.number(), since: z.number() })).optional(),
    /** undefined before the first look at releases, and while the config asks for none. */
    changelog: changelogShape().optional(),
  }),
);

/** The plan reads them, as the version that has written them did; before there was a text there was a hash. */
function areRules(rules: string): boolean {
  return !rules.startsWith("{") || ruleShape().safeParse(parse("projects.memory", rules)).success;
}

const ruleShape = later(() =>
  z.looseObject({ rules: z.array(z.looseObject({})), several: z.string(), whenNoRule: z.string() }),
);

function areMeanings(meanings: string): boolean {
  return meaningsShape().safeParse(parse("projects.memory", meanings)).success;
}

const meaningsShape = later(() =>
  z.object({
    fields: z.record(z.string(), z.string()),
    words: z.record(z.string(), z.string().nullable()),
  }),
);

/** See `AskedPaging`. */
export type PagingMemory = Shaped<typeof pagingShape>;
export const pagingShape = later(() =>
  z.object({
    way: z
      .object({
        kind: z.enum(["page", "offset", "cursor", "none"]),
        param: z.string(),
        first: z.literal(0).exactOptional(),
        next: z.literal("lastId").exactOptional(),
      })
      .optional() as z.ZodType<PagingWay | undefined>,
    posts: z.string().nullable(),
    askedAt: z.number(),
  }),
);

export type RepositoryMemory = Shaped<typeof repositoryShape>;
export const repositoryShape = later(() =>
  z.object({
    /** The name that the config uses; `repository.name` is what the tracker calls it now. */
    name: z.string(),
    /** Other names that the config uses for it at the same time, as it was renamed; absent where there are none. */
    otherNames: z.array(z.string()).optional(),
    /** `tracker.url` when it was asked for last: ids are those of that server. */
    server: z.string().optional(),
    /** See `Repository`. */
    repository: z.object({
      id: z.number(),
      name: z.string(),
      hasIssues: z.boolean(),
      isArchived: z.boolean(),
      isPrivate: z.boolean(),
      canPush: z.boolean(),
    }),
    checkedAt: z.number(),
    labels: z.array(namedShape()),
    milestones: z.array(milestoneShape()),
    /** Of the labels and milestones that linked issues were last held against: makes the next look at them conditional. */
    labelsEtag: text,
    milestonesEtag: text,
    /** Issue types, and what makes the next look at them conditional: where a rule names one. */
    types: z.array(namedShape()),
    typesEtag: text,
    /**
     * What new issues were to get, and were refused with (of a milestone its number), of the config that `print` tells: they are opened
     * without it until a full look.
     */
    refused: z.array(z.object({ field: z.string(), value: z.string(), print: text })),
    /** Makes the idle request conditional. */
    etag: text,
    /** The newest `updated_at` whose changes are all stored; undefined before the first complete read. */
    cursor: text,
    /** When the last scan for markers was completed; without one nothing is opened there. */
    scannedAt: time,
    /** Logins, in lower case, whose issues have been scanned; and, as `board:HASH`, earlier addresses of the board that were looked for. */
    scannedFor: z.array(z.string()),
    /** When all of its issues were looked through for pages of posts that they name; undefined while they were not. */
    namedAt: time,
    /** When a scan showed that the database was lost or is old: creates wait. */
    recoveredAt: time,
    /** When all its linked issues were last read anew, whatever had changed. */
    fullAt: time,
    /** When it was seen to have turned public; undefined when it hasn't. */
    publicSince: time,
    /** Since when so many of its linked issues are not found that nothing is believed of any; undefined when all is well. */
    pausedAt: time,
  }),
);

/** A single-select field of a project of the tracker. Ids stay when people rename. */
export type ProjectFieldMemory = Shaped<typeof projectFieldShape>;
export const projectFieldShape = later(() =>
  z.object({
    key: z.string(),
    projectId: z.string(),
    fieldId: z.string(),
    name: z.string(),
    /** `formerName`: by which a rule knows it still. */
    options: z.array(z.object({ id: z.string(), name: z.string(), formerName: z.string().exactOptional() })),
    isClosed: z.boolean(),
    /** Names of options that were deleted; absent where none was. */
    lost: z.array(z.string()).exactOptional(),
    checkedAt: z.number(),
  }),
);

/** What people were told of, so that nobody is told the same thing again and again. */
export interface Notices {
  /** Of the last days. */
  said(): Promise<readonly SaidNotice[]>;
  /** Moves the time of one, unless another process has moved it since: whether it did. */
  sayAgain(notice: Pick<SaidNotice, "cause" | "at">, now: number): Promise<boolean>;
}

/** One thing that was said. */
export interface SaidNotice {
  /** What it is about, as a key of the caller's. */
  readonly cause: string;
  /** What was said of it: another text is news. */
  readonly state: string;
  readonly at: number;
}
