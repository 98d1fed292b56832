import type {
  IssueRef,
  Milestone,
  Named,
  ProjectFieldKey,
  Repository,
  RepositoryId,
  RepositoryName,
} from "../model/issue.ts";
import type { AskedPaging } from "../model/page.ts";
import type { Category, CategoryPin, PostField, ProjectId } from "../model/post.ts";

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

export interface CategoriesMemory {
  readonly project: ProjectId;
  readonly categories: readonly Category[];
  readonly pins: readonly CategoryPin[];
  /** When the board's tool has listed them, epoch ms; undefined where none has. */
  readonly listedAt: number | undefined;
  /** Whether that tool, which may tell what a name means, was asked in vain. */
  readonly isUnlisted?: true;
}

/** A tool of the board that the config names. */
export interface ToolMemory {
  readonly name: string;
  /** Stands for the schema of its arguments. */
  readonly print: string;
}

export interface SizeMemory {
  /** What is asked for, in the tracker's words. */
  readonly name: string;
  readonly size: number;
  /** Epoch ms: after it more is tried again. */
  readonly until: number;
}

export interface AccountMemory {
  readonly login: string;
  /** Those before it, the last one first: what they had under way may still turn up. */
  readonly former?: readonly string[];
  /** When it was seen first after another one, epoch ms. */
  readonly since?: number;
  readonly checkedAt: number;
}

export interface ProjectMemory {
  /** `project` of the config, which may name a project otherwise from one day to the next. */
  readonly key: string;
  readonly id: ProjectId;
  readonly name: string;
  readonly checkedAt: number;
  /** Of all settings that a decision depends on: when it changes, every row is due. */
  readonly settingsPrint: string | undefined;
  /** `rules`, `several` and `whenNoRule` by which the bases were made, as `writeRules` of the plan gives them. */
  readonly rules: string | undefined;
  /** JSON: by what fields and words of the config the bases were made (`rebaseMeanings`); absent before the first look. */
  readonly meanings?: string | undefined;
  /** The fields that the last usable pull showed. */
  readonly seen: readonly PostField[];
  /** When all its rows were last up for a full look. */
  readonly fullAt: number | undefined;
  readonly lastSuccessAt: number | undefined;
  /** When a `rebuild` of it began, epoch ms: what was known of this project before that counts as that of an old copy. */
  readonly rebuildStamp?: number | undefined;
  /** The stamp (`stampOf`) of the copy after whose return both sides were taken as they were. */
  readonly recoveredFrom: number | undefined;
  /** When both sides of its due pairs were last taken as they were because the state had been lost or was old. */
  readonly settledAt: number | undefined;
  /** When a run last came to its end though something failed; see `lastSuccessAt`. */
  readonly doneAt?: number | undefined;
  /** The last issue whose signals were read when a limit put off those of others: the next run begins behind it. */
  readonly signalsFrom?: IssueRef | undefined;
  /** When a run last had time for it, which was over before others of its projects had theirs; absent where there was none. */
  readonly turnAt?: number | undefined;
  /** Repositories of which a person has accepted for this project that they are public, with the time since which they are. */
  readonly acceptedPublic?: readonly PublicRepository[] | undefined;
  /** undefined before the first look at releases, and while the config asks for none. */
  readonly changelog?: ChangelogMemory | undefined;
}

export interface PublicRepository {
  readonly repositoryId: RepositoryId;
  /** `RepositoryMemory.publicSince`. */
  readonly since: number;
}

/** What is known of the releases of a project, and of what was made of them. */
export interface ChangelogMemory {
  readonly repository: RepositoryId;
  /** The project's stamp (`stampOf`) at the first look: of an older state nothing is known that was made since. */
  readonly copiedAt: number | undefined;
  /** Makes the next look conditional; undefined while something of the list is still to be done. */
  readonly etag: string | undefined;
  /** By what settings, and since which full look, that holds; absent where an earlier version has noted it. */
  readonly etagBy?: string | undefined;
  /** Tags that were there at the first look: nothing is made of them. */
  readonly noted: readonly string[];
  /** Ids of these, whose tags may change. */
  readonly notedIds?: readonly number[] | undefined;
  /** Ids of those that were pre-releases then, and as such unwanted: when one becomes a release it is a new one. */
  readonly unripe?: readonly number[] | undefined;
  /** Hash of the arguments with which the tool has published at once what it made: it is not called with them again. */
  readonly publishing?: string | undefined;
  /** Of the releases that have an entry, or are about to. */
  readonly entries: readonly EntryMemory[];
}

export interface EntryMemory {
  /** By this it is known, also when the tag of its release changes. */
  readonly tag: string;
  /** Id of its release. */
  readonly release?: number | undefined;
  /** What its text was made of. */
  readonly print: string;
  /** As it was sent: by this it is looked up. */
  readonly title: string;
  /** Hash of what the board has shown of it since; of what was sent where it has shown nothing. */
  readonly shown?: string | undefined;
  /** Until it is known to be made: ids of the entries that were there before; undefined where no whole list has shown them. */
  readonly there?: readonly string[] | undefined;
  /** How many posts it names. */
  readonly posts: number;
  /** Why the guard holds the draft that is to be made; undefined where it does not. */
  readonly held?: string | undefined;
  /** The release is gone, and people were told. */
  readonly isGone?: boolean | undefined;
}

export interface PagingMemory extends AskedPaging {
  readonly askedAt: number;
}

export interface RepositoryMemory {
  /** The name that the config uses; `repository.name` is what the tracker calls it now. */
  readonly name: RepositoryName;
  /** Other names that the config uses for it at the same time, as it was renamed; absent where there are none. */
  readonly otherNames?: readonly RepositoryName[] | undefined;
  /** `tracker.url` when it was asked for last: ids are those of that server. */
  readonly server?: string | undefined;
  readonly repository: Repository;
  readonly checkedAt: number;
  readonly labels: readonly Named[];
  readonly milestones: readonly Milestone[];
  /** Of the labels and milestones that linked issues were last held against: makes the next look at them conditional. */
  readonly labelsEtag: string | undefined;
  readonly milestonesEtag: string | undefined;
  /** Issue types, and what makes the next look at them conditional: where a rule names one. */
  readonly types: readonly Named[];
  readonly typesEtag: string | undefined;
  /** What new issues were refused with, of the config that `print` tells: they are opened without it until a full look. */
  readonly refused: readonly RefusedValue[];
  /** Makes the idle request conditional. */
  readonly etag: string | undefined;
  /** The newest `updated_at` whose changes are all stored; undefined before the first complete read. */
  readonly cursor: string | undefined;
  /** When the last scan for markers was completed; without one nothing is opened there. */
  readonly scannedAt: number | undefined;
  /** Logins, in lower case, whose issues have been scanned; and, as `board:HASH`, earlier addresses of the board that were looked for. */
  readonly scannedFor: readonly string[];
  /** When all of its issues were looked through for pages of posts that they name; undefined while they were not. */
  readonly namedAt: number | undefined;
  /** When a scan showed that the database was lost or is old: creates wait. */
  readonly recoveredAt: number | undefined;
  /** When all its linked issues were last read anew, whatever had changed. */
  readonly fullAt: number | undefined;
  /** When it was seen to have turned public; undefined when it hasn't. */
  readonly publicSince: number | undefined;
  /** Since when so many of its linked issues are not found that nothing is believed of any; undefined when all is well. */
  readonly pausedAt: number | undefined;
}

/** Something that a new issue was to get, and the tracker did not take; of a milestone its number. */
export interface RefusedValue {
  readonly field: string;
  readonly value: string;
  readonly print: string | undefined;
}

/** A single-select field of a project of the tracker. Ids stay when people rename. */
export interface ProjectFieldMemory {
  readonly key: ProjectFieldKey;
  readonly projectId: string;
  readonly fieldId: string;
  readonly name: string;
  readonly options: readonly {
    readonly id: string;
    readonly name: string;
    /** By which a rule knows it still. */
    readonly formerName?: string;
  }[];
  /** Names of options that were deleted; absent where none was. */
  readonly lost?: readonly string[];
  readonly isClosed: boolean;
  readonly checkedAt: number;
}

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
