/** An issue. Times are epoch ms, here and below. */
export interface DemoIssue {
  readonly id: number;
  readonly number: number;
  readonly author: string;
  readonly title: string;
  readonly body: string | null;
  readonly state: "open" | "closed";
  readonly stateReason: string | null;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly comments: readonly { id: number; author: string; body: string; createdAt: number }[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number | null;
  /** Who closed it; null while it is open. */
  readonly closedBy: string | null;
}

/** A release, published. */
export interface DemoRelease {
  readonly id: number;
  readonly tag: string;
  readonly name: string;
  readonly body: string;
  /** Its page. */
  readonly url: string;
  readonly at: number;
}

/** A repository, and what is in it. */
export interface DemoRepository {
  readonly id: number;
  readonly name: string;
  readonly labels: string[];
  /** By number. */
  readonly issues: Map<number, DemoIssue>;
  /** Oldest first. */
  readonly releases: DemoRelease[];
}

/** Everything that the GitHub remembers, and how it is changed. */
export type DemoState = ReturnType<typeof createState>;

/** What a GitHub begins with. */
export interface StateOptions {
  readonly repositories: readonly { readonly name: string; readonly labels: readonly string[] }[];
  /** Who may be assigned beside the account. */
  readonly people: readonly string[];
  /** The account that the token belongs to. */
  readonly login: string;
  /** Epoch ms. */
  readonly now: () => number;
}

/** A GitHub without an issue. */
export function createState({ repositories, people, login, now }: StateOptions) {
  let lastId = 1000;
  /** An id that nothing else has. */
  const nextId = (): number => {
    lastId += 1;
    return lastId;
  };
  return {
    /** The API's root; known once the server listens. */
    url: "",
    now,
    login,
    /** Who may be assigned. */
    people: [login, ...people],
    repositories: repositories.map(
      ({ name, labels }): DemoRepository => ({
        id: nextId(),
        name,
        labels: [...labels],
        issues: new Map(),
        releases: [],
      }),
    ),
    nextId,
    /** Keeps an issue as it is from now on; one that is as it was keeps its time. */
    save(repository: DemoRepository, issue: DemoIssue, change: Partial<DemoIssue>): DemoIssue {
      const next = { ...issue, ...moveState(issue, change, now(), login), updatedAt: now() };
      const isSame = JSON.stringify({ ...next, updatedAt: issue.updatedAt }) === JSON.stringify(issue);
      const kept = isSame && repository.issues.has(issue.number) ? issue : next;
      repository.issues.set(issue.number, kept);
      return kept;
    },
    /** Names of labels as the repository spells them, each once; one that it lacks becomes a label, as on GitHub. */
    spell(repository: DemoRepository, labels: readonly string[]): readonly string[] {
      const spelled = labels.map((label) => {
        const known = repository.labels.find((one) => one.toLowerCase() === label.toLowerCase());
        if (known === undefined) repository.labels.push(label);
        return known ?? label;
      });
      return [...new Set(spelled)];
    },
  };
}

/** A change with what follows from it: a reason counts only when the state changes, as GitHub says of `state_reason`. */
function moveState(
  issue: DemoIssue,
  change: Partial<DemoIssue>,
  now: number,
  login: string,
): Partial<DemoIssue> {
  const { state, stateReason, ...others } = change;
  if (state === undefined || state === issue.state) return others;
  if (state === "open") return { ...others, state, stateReason: "reopened", closedAt: null, closedBy: null };
  const closed = {
    stateReason: stateReason ?? "completed",
    closedAt: now,
    closedBy: change.closedBy ?? login,
  };
  return { ...others, state, ...closed };
}
