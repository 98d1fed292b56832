import { RemoteError } from "../../../errors.ts";
import type { Change } from "../../../ledger/change.ts";
import type { ProjectFieldMemory } from "../../../ledger/memory.ts";
import type { ProjectFieldKey, ProjectFieldName, Readable } from "../../../model/issue.ts";
import { includesName, isSameName } from "../../../plan/ground/issue-fields.ts";
import type { Settings } from "../../../plan/ground/settings.ts";
import { awaitAnew } from "../../../plan/lost-names.ts";
import { neededSignals, projectFieldKey } from "../../../plan/rules/signals.ts";
import type { ProjectField } from "../../../tracker/tracker.ts";
import type { Cycle } from "../../ground/cycle-state.ts";
import { checkSignalLimits } from "../../ground/lane.ts";
import { lookOnce } from "../../ground/looks.ts";
import { isPutOff, noteError } from "../../ground/report.ts";
import { dueRows } from "../../ground/rows.ts";
import { rulesOf } from "../../ground/settings-now.ts";

/** The fields of projects that the rules look at, as they can be asked for in this run. */
export interface FieldSurvey {
  /** With the names of options that the rules use for them. */
  readonly fields: readonly ProjectField[];
  /** Why a field can't be read, by its key: what it shows is unknown, and never "no status". */
  readonly unreadable: ReadonlyMap<ProjectFieldKey, string>;
}

/**
 * Finds the fields that the rules name. What was found is remembered by its ids for `fullEvery`, so that an idle run asks
 * nothing and a field or an option may be renamed meanwhile; what is wrong with the names is said in every run.
 *
 * @param isFresh asks anew: what was remembered may have vanished.
 * @throws RemoteError when the tracker wants no request now, or the run is to end.
 */
export async function surveyFields(cycle: Cycle, isFresh: boolean): Promise<FieldSurvey> {
  const fields: ProjectField[] = [];
  const unreadable = new Map<ProjectFieldKey, string>();
  for (const wanted of neededSignals(cycle.settings).projects) {
    const found = await findField(cycle, wanted, isFresh);
    if (found === undefined) continue;
    if (typeof found === "string") {
      unreadable.set(projectFieldKey(wanted), found);
      continue;
    }
    sayOptions(cycle, wanted, found);
    fields.push(asRulesCallIt(found, namedOptions(cycle.settings, found.key)));
  }
  return { fields, unreadable };
}

/**
 * What a field shows of an issue, as far as it can be believed: while a rule names an option that the field doesn't have,
 * "another one" and "none" may be just what has become of that one.
 */
export function believedOption(
  { settings }: Pick<Cycle, "settings">,
  field: ProjectField,
  option: Readable<string | null>,
): Readable<string | null> {
  if (option.kind === "unknown") return option;
  const named = namedOptions(settings, field.key);
  const missing = named.filter((name) => !hasOption(field, name));
  if (missing.length === 0 || (option.value !== null && includesName(named, option.value))) return option;
  return { kind: "unknown", message: `the field has no option ${missing.map(quoteOption).join(", ")} now` };
}

/**
 * The field as it is known or found; why it can't be read, where the tracker says so; undefined where it could not be asked
 * for, and what was read of it last still counts.
 */
async function findField(
  cycle: Cycle,
  wanted: ProjectFieldName,
  isFresh: boolean,
): Promise<ProjectFieldMemory | string | undefined> {
  const { ledger, clock, policy, tracker } = cycle.world;
  const key = projectFieldKey(wanted);
  const known = ledger.memory.projectField(key);
  if (!isFresh && known !== undefined && clock.now() - known.checkedAt < policy.fullEveryMs) return known;
  const ask = async (): Promise<void> => {
    // Whatever is asked for here counts against the owner of the project.
    await checkSignalLimits(cycle.world, [`${wanted.owner}/`]);
    const found = await tracker.projectField(wanted, cycle.run.bounds);
    const field = { ...keepNames(cycle.settings, known, found), checkedAt: clock.now() };
    if (known !== undefined && isMadeAnew(known, found)) await awaitField(cycle, key);
    await ledger.commit([{ kind: "remember-project-field", field }]);
  };
  try {
    await (isFresh ? ask() : lookOnce(cycle, `project field ${key}`, ask));
    return ledger.memory.projectField(key);
  } catch (error) {
    if (!(error instanceof RemoteError) || isPutOff(error)) throw error;
    const why = isFieldFault(error) ? error.message : undefined;
    noteError(cycle.tally, error, why === undefined ? {} : { code: "tracker.project" });
    // What is not there is asked for in every run, and said.
    if (why !== undefined && known !== undefined)
      await ledger.commit([{ kind: "remember-project-field", field: { ...known, checkedAt: 0 } }]);
    return why;
  }
}

/** Whether the tracker says that a field is not there, or not for us; anything else says nothing of the field. */
export function isFieldFault({ fault }: RemoteError): boolean {
  return fault === "missing" || fault === "unauthorized" || fault === "refused";
}

/**
 * An option that was renamed is told by its id, and keeps a name by which a rule may know it: that which the rules of this project
 * name, else the first one, for another project's.
 */
function keepNames(
  settings: Pick<Settings, "rules">,
  known: ProjectFieldMemory | undefined,
  found: ProjectField,
): Omit<ProjectFieldMemory, "checkedAt"> {
  const named = namedOptions(settings, found.key);
  const options = found.options.map((option) => {
    const before = known?.options.find(({ id }) => id === option.id);
    const names = [before?.name, before?.formerName].flatMap((name) =>
      name === undefined || hasOption(found, name) ? [] : [name],
    );
    const formerName = names.find((name) => includesName(named, name)) ?? names.at(-1);
    return formerName === undefined ? option : { ...option, formerName };
  });
  const lost = namesBefore(known).flatMap(({ name, id }) =>
    hasOption(found, name) || found.options.some((option) => option.id === id) ? [] : [name],
  );
  return { ...found, options, ...(lost.length > 0 && { lost: lost.slice(-mostLost) }) };
}

/** So many names of options that were deleted are kept. */
const mostLost = 50;

/** What options were called, with their ids; of those that were deleted no id is kept. */
function namesBefore(
  known: ProjectFieldMemory | undefined,
): readonly { name: string; id: string | undefined }[] {
  const { lost = [], options = [] } = known ?? {};
  return [
    ...lost.map((name) => ({ name, id: undefined })),
    ...options.map(({ id, name, formerName }) => ({ name: formerName ?? name, id })),
  ];
}

/** Whether what was called so is another one now: a field that was made anew, or an option. */
function isMadeAnew(known: ProjectFieldMemory, found: ProjectField): boolean {
  if (known.fieldId !== found.fieldId) return true;
  return namesBefore(known).some(({ name, id }) =>
    found.options.some((option) => isSameName(option.name, name) && option.id !== id),
  );
}

/** Posts of whichever project hang on the field: what it shows of their issues by now is nothing that people have said of these. */
async function awaitField(cycle: Cycle, key: ProjectFieldKey): Promise<void> {
  const { ledger, policy, log } = cycle.world;
  for (const projectKey of policy.projectKeys) {
    const project = ledger.memory.project(projectKey)?.id;
    const rules = project && rulesOf(cycle, project)?.settings;
    if (project === undefined || rules === undefined || namedOptions(rules, key).length === 0) continue;
    await ledger.commit([{ kind: "mark-due", project, which: "linked" }]);
    for await (const { rows } of dueRows(cycle.world, project, cycle.run)) {
      const changes = rows.map((row): Change => {
        const bases = { base: awaitAnew(row, key, rules) };
        return { kind: "set-bases", project, post: row.post.id, bases };
      });
      if (changes.length > 0) await ledger.commit(changes);
    }
  }
  log.warn({ project: cycle.project.key, field: key }, madeAnew);
}

const madeAnew =
  "A field of a project, or an option of it, was deleted and made anew: posts are taken as they are, and nobody is told that issues have lost it";

function asRulesCallIt(
  { checkedAt: _, options, ...field }: ProjectFieldMemory,
  named: readonly string[],
): ProjectField {
  return {
    ...field,
    options: options.map(({ id, name, formerName }) => ({
      id,
      name: formerName !== undefined && includesName(named, formerName) ? formerName : name,
    })),
  };
}

/** Said in every run until the rules are corrected. */
function sayOptions(
  { tally, settings }: Cycle,
  { owner, project }: ProjectFieldName,
  field: ProjectFieldMemory,
): void {
  const where = `The field ${field.name} of project ${owner}/${project}`;
  for (const name of namedOptions(settings, field.key)) {
    const renamed = field.options.find(({ formerName }) => formerName && isSameName(formerName, name));
    if (hasOption(field, name)) continue;
    const message =
      renamed === undefined
        ? `${where} has no option ${quoteOption(name)}, which a rule looks at; it has ${field.options.map((option) => quoteOption(option.name)).join(", ") || "none"}. What the field shows for other issues is taken as unknown, so posts whose decision hangs on it stay as they are. Correct the rule, or give the option its name back.`
        : `${where} calls the option ${quoteOption(name)} ${quoteOption(renamed.name)} now. The rule goes on to match it for as long as this state remembers the old name. Correct the rule, or give the option its name back.`;
    noteError(tally, { code: "tracker.project-option", message });
  }
}

/** The options of a field that the rules of a project name, each once. */
export function namedOptions({ rules }: Pick<Settings, "rules">, key: ProjectFieldKey): readonly string[] {
  const named = rules.flatMap(({ when: { projectStatus } }) =>
    projectStatus !== undefined && projectFieldKey(projectStatus) === key ? projectStatus.is : [],
  );
  return [...new Set(named)];
}

export function hasOption({ options }: Pick<ProjectField, "options">, name: string): boolean {
  return options.some((option) => isSameName(option.name, name));
}

function quoteOption(name: string): string {
  return `"${name}"`;
}
