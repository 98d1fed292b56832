import { GraphQLError } from "graphql";
import { association } from "../rest/shapes.ts";
import { labelsOf, typeOf } from "../state/changes.ts";
import {
  type GitHubState,
  issueAsOf,
  type StoredField,
  type StoredIssue,
  type StoredItem,
  type StoredProject,
  type StoredRelease,
  type StoredRepository,
  timestamp,
} from "../state/state.ts";

/** An object of the schema: values, and functions of the arguments for what is only sometimes asked for. */
export type GraphObject = Readonly<Record<string, unknown>>;

interface Paging {
  readonly first?: number;
  readonly last?: number;
}

/** An error of GitHub's, with the type that it gives it. */
export function graphError(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

/** Every issue and pull request that can be seen, by its id, with its repository. */
function visibleIssues(state: GitHubState): ReadonlyMap<number, readonly [StoredRepository, StoredIssue]> {
  const found = new Map<number, readonly [StoredRepository, StoredIssue]>();
  for (const repository of state.repositories.values()) {
    if (!repository.isVisible) continue;
    for (const number of repository.issues.keys()) {
      const issue = issueAsOf(state, repository, number, state.lag.readMs);
      if (issue?.fate.kind === "here") found.set(issue.id, [repository, issue]);
    }
  }
  return found;
}

/** The objects of one query, made from a state. */
export interface GraphShapes {
  /** The thing with a node id; undefined where there is none that can be seen. */
  node(id: string): GraphObject | undefined;
  repository(repository: StoredRepository): GraphObject;
  project(project: StoredProject): GraphObject;
}

/** See `GraphShapes`. */
export function createGraphShapes(state: GitHubState): GraphShapes {
  const { signals } = state;
  const issues = visibleIssues(state);

  function node(id: string): GraphObject | undefined {
    const [prefix = "", rest = ""] = id.split("_", 2);
    if (prefix === "I" || prefix === "PR") return issueOrPullRequest(Number(rest), prefix === "PR");
    const visible = signals.projects.filter(({ sight }) => sight === "full");
    const field = visible.flatMap(({ fields }) => fields).find((one) => one.id === id);
    return field === undefined ? tagNode(id) : fieldShape(field);
  }

  function tagNode(id: string): GraphObject | undefined {
    for (const repository of state.repositories.values()) {
      const release = signals.releases.get(repository.id)?.find((one) => tagId(repository, one) === id);
      if (release !== undefined && repository.isVisible) return tagShape(repository, release);
    }
    return undefined;
  }

  function issueOrPullRequest(id: number, isPullRequest: boolean): GraphObject | undefined {
    const found = issues.get(id);
    if (found === undefined || found[1].isPullRequest !== isPullRequest) return undefined;
    return isPullRequest ? pullRequest(...found) : issue(...found);
  }

  function linked(id: number): GraphObject | null {
    return issueOrPullRequest(id, false) ?? issueOrPullRequest(id, true) ?? null;
  }

  function repository(stored: StoredRepository): GraphObject {
    const releases = (signals.releases.get(stored.id) ?? []).toReversed();
    return {
      __typename: "Repository",
      id: `R_${stored.id}`,
      databaseId: stored.id,
      nameWithOwner: stored.name,
      releases: (paging: Paging) => connection(releases, paging, (release) => releaseShape(stored, release)),
    };
  }

  function pullRequest(
    stored: StoredRepository,
    { id, number, author, state: now }: StoredIssue,
  ): GraphObject {
    const { isDraft = false, mergedAt = null, commit = null } = signals.pullRequests.get(id) ?? {};
    const closedState = mergedAt === null ? "CLOSED" : "MERGED";
    return {
      __typename: "PullRequest",
      id: `PR_${id}`,
      number,
      state: now === "open" ? "OPEN" : closedState,
      authorAssociation: association(stored, author),
      isDraft,
      mergedAt: mergedAt === null ? null : timestamp(mergedAt),
      mergeCommit: commit === null ? null : { id: `C_${commit}`, oid: commit },
      repository: repository(stored),
    };
  }

  function issue(stored: StoredRepository, shown: StoredIssue): GraphObject {
    const { id } = shown;
    const labels = labelsOf(stored, shown);
    const type = typeOf(stored, shown);
    const milestone = stored.milestones.get(shown.milestone ?? 0);
    const fields: GraphObject = {
      __typename: "Issue",
      id: `I_${id}`,
      author:
        shown.author === null ? null : { __typename: "User", login: shown.author.replace(/\[bot\]$/, "") },
      authorAssociation: association(stored, shown.author),
      number: shown.number,
      state: shown.state.toUpperCase(),
      stateReason: ({ enableDuplicate }: { enableDuplicate?: boolean }) =>
        reasonOf(shown.stateReason, enableDuplicate ?? false),
      locked: shown.isLocked,
      createdAt: timestamp(shown.createdAt),
      updatedAt: timestamp(shown.updatedAt),
      repository: repository(stored),
      labels: (paging: Paging) =>
        connection(labels, paging, (label) => ({ id: `LA_${label.id}`, name: label.name })),
      assignees: (paging: Paging) => connection(shown.assignees, paging, (login) => ({ id: login, login })),
      milestone: milestone === undefined ? null : { ...milestone, state: milestone.state.toUpperCase() },
      issueType: type === undefined ? null : { id: `IT_${type.id}`, name: type.name },
      closedByPullRequestsReferences: (asked: Paging & { includeClosedPrs?: boolean }) =>
        connection(linkedPullRequests(id, asked.includeClosedPrs ?? false), asked, (one) => one),
      userContentEdits: (paging: Paging) =>
        connection(shown.editors, paging, (login) => ({ editor: { __typename: "User", login } })),
      subIssues: (paging: Paging) =>
        connection(
          signals.subIssues.get(id) ?? [],
          paging,
          (child) => issueOrPullRequest(child, false) ?? null,
        ),
      projectItems: (asked: Paging & { includeArchived?: boolean }) =>
        connection(itemsOf(id, asked.includeArchived ?? true), asked, ([project, item]) =>
          itemShape(project, item),
        ),
      timelineItems: (paging: Paging) => timeline(id, paging),
    };
    return { ...fields, ...brokenField(id) };
  }

  function brokenField(id: number): GraphObject {
    const broken = signals.broken.get(id);
    if (broken === undefined) return {};
    const fail = (): never => {
      throw graphError(broken.type, broken.message);
    };
    return { [broken.field]: fail };
  }

  /** Those in repositories that can't be seen are left out without a word. */
  function linkedPullRequests(id: number, isClosedToo: boolean): readonly GraphObject[] {
    const ids = signals.links.get(id) ?? [];
    return ids
      .map((one) => issueOrPullRequest(one, true))
      .filter((one) => one !== undefined)
      .filter((one) => isClosedToo || one["state"] === "OPEN");
  }

  function itemsOf(id: number, isArchivedToo: boolean): readonly (readonly [StoredProject, StoredItem])[] {
    return signals.projects
      .filter(({ sight }) => sight !== "none")
      .flatMap((project) => project.items.map((item) => [project, item] as const))
      .filter(([, item]) => item.issueId === id && (isArchivedToo || !item.isArchived));
  }

  function timeline(id: number, { last = 100 }: Paging): GraphObject {
    const events = signals.duplicates.filter(
      ({ duplicateId, canonicalId }) => duplicateId === id || canonicalId === id,
    );
    return {
      pageInfo: { hasPreviousPage: events.length > last },
      nodes: events.slice(-last).map(({ id: eventId, isUnmarked, duplicateId, canonicalId }) => ({
        __typename: isUnmarked ? "UnmarkedAsDuplicateEvent" : "MarkedAsDuplicateEvent",
        id: `MDE_${eventId}`,
        duplicate: () => linked(duplicateId),
        canonical: () => linked(canonicalId),
      })),
    };
  }

  return { node, repository, project: projectShape };
}

/** What GitHub gives for a duplicate where nobody asked for that reason is not documented; this is the reason before it existed. */
function reasonOf(reason: string | null, isDuplicateEnabled: boolean): string | null {
  if (reason === "duplicate" && !isDuplicateEnabled) return "NOT_PLANNED";
  return reason?.toUpperCase() ?? null;
}

function connection<T>(all: readonly T[], { first = 100 }: Paging, show: (one: T) => unknown): GraphObject {
  if (first < 1 || first > 100) throw graphError("EXCESSIVE_PAGINATION", "`first` must be from 1 to 100");
  return { totalCount: all.length, nodes: all.slice(0, first).map(show) };
}

function tagId({ id }: StoredRepository, release: StoredRelease): string {
  return `REF_${id}_${release.id}`;
}

function releaseShape(repository: StoredRepository, release: StoredRelease): GraphObject {
  const { commits, publishedAt } = release;
  const oid = commits?.at(-1);
  return {
    id: `RE_${release.id}`,
    isDraft: release.isDraft,
    isPrerelease: release.isPrerelease,
    createdAt: timestamp(release.createdAt),
    publishedAt: publishedAt === null ? null : timestamp(publishedAt),
    tagName: release.tag,
    tag: oid === undefined ? null : tagShape(repository, release),
    tagCommit: oid === undefined ? null : { id: `C_${oid}`, oid },
  };
}

function tagShape(repository: StoredRepository, release: StoredRelease): GraphObject {
  const { commits = [] } = release;
  const compare = ({ headRef }: { headRef: string }): GraphObject => {
    const position = commits.indexOf(headRef);
    const contained = position === commits.length - 1 ? "IDENTICAL" : "BEHIND";
    return { id: `CMP_${headRef}`, status: position === -1 ? "DIVERGED" : contained };
  };
  return { __typename: "Ref", id: tagId(repository, release), compare };
}

function fieldShape({ id, name, options }: StoredField): GraphObject {
  return options === undefined
    ? { __typename: "ProjectV2Field", id, name }
    : { __typename: "ProjectV2SingleSelectField", id, name, options };
}

function projectShape({ id, isClosed, fields }: StoredProject): GraphObject {
  return {
    __typename: "ProjectV2",
    id,
    closed: isClosed,
    fields: (paging: Paging) => connection(fields, paging, fieldShape),
  };
}

function itemShape(project: StoredProject, { id, values }: StoredItem): GraphObject {
  const isRedacted = project.sight === "redacted";
  const showValue = ({ name }: { name: string }): GraphObject | null => {
    const field = project.fields.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (isRedacted || field === undefined) return null;
    if (field.options === undefined) return { __typename: "ProjectV2ItemFieldTextValue", id, text: "" };
    const option = field.options.find((one) => one.id === values.get(field.id));
    return option === undefined
      ? null
      : {
          __typename: "ProjectV2ItemFieldSingleSelectValue",
          id,
          field: fieldShape(field),
          name: option.name,
          optionId: option.id,
        };
  };
  return {
    id,
    type: isRedacted ? "REDACTED" : "ISSUE",
    project: projectShape(project),
    fieldValueByName: showValue,
  };
}
