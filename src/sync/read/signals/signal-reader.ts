import { RemoteError } from "../../../errors.ts";
import type { Change } from "../../../ledger/change.ts";
import type {
  Issue,
  IssueRef,
  ProjectFieldKey,
  Readable,
  RepositoryName,
  Signals,
} from "../../../model/issue.ts";
import {
  keepCounted,
  looksBesideRecord,
  lostRepositories,
  neededSignals,
} from "../../../plan/rules/signals.ts";
import { inOrder } from "../../../select.ts";
import type { ProjectField, SignalAnswer, SignalWish } from "../../../tracker/tracker.ts";
import type { Cycle } from "../../ground/cycle-state.ts";
import { isPutOff } from "../../ground/report.ts";
import { repositoriesOf } from "./batch.ts";
import { believedOption, type FieldSurvey, surveyFields } from "./project-fields.ts";

/** Asks for what the rules of one project look at, and stores it. */
export type SignalReader = ReturnType<typeof createSignalReader>;

/** `all`: what is read counts from now on. `unknown`: only what was not known before does. */
export type ReadMode = "all" | "unknown";

/** An issue to ask for, with what was known of it before. */
export interface AskedIssue {
  readonly issue: Pick<Issue, "nodeId" | "repositoryId">;
  readonly signals: Signals;
}

/** What is remembered of fields is looked at when the first issue is asked for, and not before. */
export function createSignalReader(cycle: Cycle, mode: ReadMode) {
  const { tracker, ledger } = cycle.world;
  const { pullRequests, subIssues, released } = neededSignals(cycle.settings);
  let survey: FieldSurvey | undefined;
  let isFresh = false;
  const unread = new Map<string, string>();

  const ask = async (
    asked: readonly AskedIssue[],
    duplicates: boolean,
    projects: readonly ProjectField[],
  ): Promise<readonly SignalAnswer[]> => {
    // Lists lag, and this answer does not: the issues' own facts come with it, so that both are of one time.
    const wish: SignalWish = { pullRequests, subIssues, released, projects, duplicates, facts: true };
    const issues = asked.map(({ issue }) => issue);
    const nodeIds = issues.map(({ nodeId }) => nodeId);
    if (!looksBesideRecord(wish) && !duplicates) return nodeIds.map((nodeId) => ({ nodeId, signals: {} }));
    const answers: SignalAnswer[] = [];
    const repositories = await repositoriesOf(cycle, issues);
    const pages = tracker.readSignals(nodeIds, { ...wish, repositories }, cycle.run.bounds);
    for await (const page of pages) answers.push(...page);
    for (const { nodeId, unread: words } of answers) {
      if (words === undefined) unread.delete(nodeId);
      else unread.set(nodeId, words);
    }
    return answers;
  };

  return {
    mode,
    /** Issues, by their node ids, for which the tracker gave no answer, though it was asked for nothing else; with its words. */
    unread,
    /** The issue itself as it was when its signals were read; a list that lags may show it as it was before. */
    storingFacts: async (issue: Issue | undefined): Promise<readonly Change[]> =>
      issue !== undefined && (mode === "all" || (await ledger.signals.of(issue)) === undefined)
        ? [{ kind: "store-facts", issue }]
        : [],
    /** What is to be stored of an issue's signals. */
    storing(issue: IssueRef, signals: Signals): Change {
      return { kind: "store-signals", issue, signals, isFill: mode === "unknown" };
    },
    /** Whether that changes what is known of it. */
    isNews: (known: Signals, signals: Signals): boolean => {
      const [below, above] = mode === "all" ? [known, signals] : [signals, known];
      const projectStatus = { ...known.projectStatus, ...below.projectStatus, ...above.projectStatus };
      const before = { ...known, projectStatus: { ...known.projectStatus } };
      return JSON.stringify({ ...before, ...below, ...above, projectStatus }) !== JSON.stringify(before);
    },
    /**
     * What issues show, by their node ids, as far as it can be believed: what a field of a project shows is unknown where that
     * field can't be read, or where people took away an option that a rule names.
     *
     * @throws RemoteError
     */
    async read(
      asked: readonly AskedIssue[],
      { duplicates }: Pick<SignalWish, "duplicates"> = { duplicates: false },
    ): Promise<ReadonlyMap<string, SignalAnswer>> {
      survey ??= await surveyFields(cycle, false);
      let answers = await ask(asked, duplicates, survey.fields);
      if (!isFresh && survey.fields.length > 0 && hasLostOption(asked, answers)) {
        // A field that was deleted, and one whose options were made anew, show nothing for any issue: who deleted what is
        // asked before that is taken for people's decision about these issues.
        isFresh = true;
        survey = await surveyFields(cycle, true);
        answers = await ask(asked, duplicates, survey.fields);
      }
      const surveyed = survey;
      const known = new Map(asked.map(({ issue, signals }) => [issue.nodeId, signals]));
      const before = ({ nodeId }: SignalAnswer): Signals => known.get(nodeId) ?? {};
      const lost = answers.flatMap((answer) => lostRepositories(before(answer), answer.signals));
      const hidden = await findHidden(cycle, new Set(lost));
      return new Map(
        answers.map((answer) => {
          const signals = keepCounted(before(answer), answer.signals, hidden);
          return [answer.nodeId, { ...answer, signals: believe(cycle, signals, surveyed) }];
        }),
      );
    },
  };
}

/**
 * Which of these repositories, by their names in lower case, can't be seen: the tracker leaves their pull requests out without a
 * word.
 *
 * @throws RemoteError
 */
async function findHidden(
  { world: { tracker, log }, run, project, repositories }: Cycle,
  names: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const own = new Set([...repositories.values()].map(({ repository }) => repository.name.toLowerCase()));
  const hidden = await inOrder([...names], async (name) => {
    if (own.has(name)) return [];
    try {
      await tracker.repository(name as RepositoryName, run.bounds);
      return [];
    } catch (error) {
      if (!(error instanceof RemoteError) || isPutOff(error)) throw error;
      log.warn(
        { project: project.key, repo: name, err: error.message },
        "The repository can't be seen any more: linked pull requests there count as they were last seen",
      );
      return [name];
    }
  });
  return new Set(hidden.flat());
}

function hasLostOption(asked: readonly AskedIssue[], answers: readonly SignalAnswer[]): boolean {
  const before = new Map(asked.map(({ issue, signals }) => [issue.nodeId, signals.projectStatus ?? {}]));
  return answers.some(({ nodeId, signals }) =>
    Object.entries(signals.projectStatus ?? {}).some(
      ([key, option]) => !hasOption(option) && hasOption(before.get(nodeId)?.[key]),
    ),
  );
}

function hasOption(option: Readable<string | null> | undefined): boolean {
  return option?.kind === "known" && option.value !== null;
}

function believe(
  cycle: Cycle,
  { projectStatus: shown, ...signals }: SignalAnswer["signals"],
  { fields, unreadable }: FieldSurvey,
): SignalAnswer["signals"] {
  const projectStatus: Record<ProjectFieldKey, Readable<string | null>> = {};
  for (const field of fields) {
    const option = shown?.[field.key];
    if (option !== undefined) projectStatus[field.key] = believedOption(cycle, field, option);
  }
  for (const [key, message] of unreadable) projectStatus[key] = { kind: "unknown", message };
  return { ...signals, ...(Object.keys(projectStatus).length > 0 && { projectStatus }) };
}
