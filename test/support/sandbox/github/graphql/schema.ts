import {
  buildASTSchema,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  parse,
} from "graphql";

/** The part of GitHub's schema that the sandbox answers, in GitHub's own words; `issueType` is newer than the packaged schema. */
export const sandboxSchemaText = `
scalar DateTime
scalar GitObjectID

type Query {
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]!
  repository(followRenames: Boolean = true, name: String!, owner: String!): Repository
  repositoryOwner(login: String!): RepositoryOwner
}

interface Node { id: ID! }
interface RepositoryOwner { id: ID! login: String! }
interface ProjectV2Owner { id: ID! projectV2(number: Int!): ProjectV2 }
interface Actor { login: String! }
type User implements Actor & Node & RepositoryOwner & ProjectV2Owner { id: ID! login: String! projectV2(number: Int!): ProjectV2 }
type Organization implements Node & RepositoryOwner & ProjectV2Owner { id: ID! login: String! projectV2(number: Int!): ProjectV2 }

type Repository implements Node {
  id: ID!
  databaseId: Int
  nameWithOwner: String!
  releases(first: Int, orderBy: ReleaseOrder): ReleaseConnection!
}

input ReleaseOrder { direction: OrderDirection! field: ReleaseOrderField! }
enum OrderDirection { ASC DESC }
enum ReleaseOrderField { CREATED_AT NAME }
type ReleaseConnection { nodes: [Release] totalCount: Int! }
type Release implements Node {
  id: ID!
  createdAt: DateTime!
  isDraft: Boolean!
  isPrerelease: Boolean!
  publishedAt: DateTime
  tagName: String!
  tag: Ref
  tagCommit: Commit
}
type Ref implements Node { id: ID! compare(headRef: String!): Comparison }
type Comparison implements Node { id: ID! status: ComparisonStatus! }
enum ComparisonStatus { AHEAD BEHIND DIVERGED IDENTICAL }
type Commit implements Node { id: ID! oid: GitObjectID! }

type Issue implements Node {
  id: ID!
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  assignees(first: Int): UserConnection!
  closedByPullRequestsReferences(first: Int, includeClosedPrs: Boolean = false): PullRequestConnection
  createdAt: DateTime!
  issueType: IssueType
  labels(first: Int): LabelConnection
  locked: Boolean!
  milestone: Milestone
  number: Int!
  projectItems(first: Int, includeArchived: Boolean = true): ProjectV2ItemConnection!
  repository: Repository!
  state: IssueState!
  stateReason(enableDuplicate: Boolean = false): IssueStateReason
  subIssues(first: Int): IssueConnection!
  timelineItems(itemTypes: [IssueTimelineItemsItemType!], last: Int): IssueTimelineItemsConnection!
  updatedAt: DateTime!
  userContentEdits(last: Int): UserContentEditConnection
}
type UserContentEditConnection { nodes: [UserContentEdit] totalCount: Int! }
type UserContentEdit { editor: Actor }
enum IssueState { CLOSED OPEN }
enum IssueStateReason { COMPLETED DUPLICATE NOT_PLANNED REOPENED }
type IssueType implements Node { id: ID! name: String! }
type IssueConnection { nodes: [Issue] totalCount: Int! }
type UserConnection { nodes: [User] totalCount: Int! }
type LabelConnection { nodes: [Label] totalCount: Int! }
type Label implements Node { id: ID! name: String! }
type Milestone { number: Int! state: MilestoneState! title: String! }
enum MilestoneState { CLOSED OPEN }

type PullRequest implements Node {
  id: ID!
  authorAssociation: CommentAuthorAssociation!
  isDraft: Boolean!
  mergeCommit: Commit
  mergedAt: DateTime
  number: Int!
  repository: Repository!
  state: PullRequestState!
}
enum CommentAuthorAssociation { COLLABORATOR CONTRIBUTOR FIRST_TIMER FIRST_TIME_CONTRIBUTOR MANNEQUIN MEMBER NONE OWNER }
enum PullRequestState { CLOSED MERGED OPEN }
type PullRequestConnection { nodes: [PullRequest] totalCount: Int! }

enum IssueTimelineItemsItemType { MARKED_AS_DUPLICATE_EVENT UNMARKED_AS_DUPLICATE_EVENT }
type IssueTimelineItemsConnection { nodes: [IssueTimelineItems] pageInfo: PageInfo! }
type PageInfo { hasPreviousPage: Boolean! }
union IssueTimelineItems = MarkedAsDuplicateEvent | UnmarkedAsDuplicateEvent
union IssueOrPullRequest = Issue | PullRequest
type MarkedAsDuplicateEvent implements Node { id: ID! canonical: IssueOrPullRequest duplicate: IssueOrPullRequest }
type UnmarkedAsDuplicateEvent implements Node { id: ID! canonical: IssueOrPullRequest duplicate: IssueOrPullRequest }

type ProjectV2 implements Node {
  id: ID!
  closed: Boolean!
  fields(first: Int): ProjectV2FieldConfigurationConnection!
}
type ProjectV2FieldConfigurationConnection { nodes: [ProjectV2FieldConfiguration] totalCount: Int! }
union ProjectV2FieldConfiguration = ProjectV2Field | ProjectV2SingleSelectField
interface ProjectV2FieldCommon { id: ID! name: String! }
type ProjectV2Field implements Node & ProjectV2FieldCommon { id: ID! name: String! }
type ProjectV2SingleSelectField implements Node & ProjectV2FieldCommon {
  id: ID!
  name: String!
  options(names: [String!]): [ProjectV2SingleSelectFieldOption!]!
}
type ProjectV2SingleSelectFieldOption { id: String! name: String! }
type ProjectV2ItemConnection { nodes: [ProjectV2Item] totalCount: Int! }
type ProjectV2Item implements Node {
  id: ID!
  fieldValueByName(name: String!): ProjectV2ItemFieldValue
  project: ProjectV2!
  type: ProjectV2ItemType!
}
enum ProjectV2ItemType { DRAFT_ISSUE ISSUE PULL_REQUEST REDACTED }
union ProjectV2ItemFieldValue = ProjectV2ItemFieldSingleSelectValue | ProjectV2ItemFieldTextValue
type ProjectV2ItemFieldTextValue implements Node { id: ID! text: String }
type ProjectV2ItemFieldSingleSelectValue implements Node {
  id: ID!
  field: ProjectV2FieldConfiguration!
  name: String
  optionId: String
}
`;

/**
 * The schema without what an older Enterprise Server lacks: fields as `Issue.subIssues`, arguments as
 * `Issue.stateReason(enableDuplicate)`.
 */
export function createSandboxSchema(lacking: readonly string[]): GraphQLSchema {
  const document = parse(sandboxSchemaText);
  const definitions = document.definitions.map((definition) => withoutFields(definition, new Set(lacking)));
  const older: DocumentNode = { ...document, definitions };
  return buildASTSchema(older);
}

function withoutFields(definition: DefinitionNode, lacking: ReadonlySet<string>): DefinitionNode {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return definition;
  const fields = (definition.fields ?? [])
    .map((field) => ({ field, path: `${definition.name.value}.${field.name.value}` }))
    .filter(({ path }) => !lacking.has(path))
    .map(({ field, path }) => ({
      ...field,
      arguments: field.arguments?.filter((argument) => !lacking.has(`${path}(${argument.name.value})`)) ?? [],
    }));
  return { ...definition, fields };
}
