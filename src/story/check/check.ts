import type { Ledger } from "../../ledger/ledger.ts";
import type { Pin } from "../../model/issue.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { shadowedBoardRules } from "../../plan/board-rules/board-rules.ts";
import { fightingRules } from "../../plan/board-rules/fights.ts";
import { isRenamed, pinNouns } from "../../plan/rules/pins.ts";
import { impossibleRules, shadowedRules } from "../../plan/rules/useless.ts";
import { repositoryNames, type SyncProject, type World } from "../../sync/ground/world.ts";
import { foundProjects } from "../../sync/orders/foresight.ts";
import { describeTokenEnd } from "../../sync/tell/stored-report.ts";
import type { ShownCategory } from "../posts.ts";
import { addCategories, checkBoard, checkPosts, readPosts, type ShownPosts } from "./board.ts";
import { type Checking, type Finding, type Looked, type Suggest, startChecking } from "./findings.ts";
import { type CheckedTools, checkTools } from "./tools.ts";
import { checkFields, checkRepository } from "./tracker.ts";

/** What `check` has found. */
export interface Checked {
  readonly findings: readonly Finding[];
  /** The categories that posts of each project show. */
  readonly categories: readonly (ShownCategory & { readonly project: string })[];
}

/** Looks at everything that the config promises, writes nothing, and goes on past what is wrong. */
export async function checkAll(
  projects: readonly SyncProject[],
  world: Looked & Pick<World, "clock"> & { readonly mcp?: CheckedTools | undefined },
  bounds: ReadBounds,
  suggest: Suggest,
): Promise<Checked> {
  const findings: Finding[] = [];
  const checking = startChecking(findings, "board", world, bounds, suggest);
  const listed = await checking.look(checkBoard);
  if (listed === undefined)
    checking.say("warning", "The posts were not looked at, because the board could not be asked.");
  const { mcp } = world;
  const listCategories = listed && mcp && (await checking.look((own) => checkTools(own, mcp)));
  const tracker = checking.of("tracker");
  const account = await tracker.look((own) => checkAccount(own, world.clock.now()));
  if (account === undefined)
    tracker.say("warning", "No repository was looked at, because GitHub could not be asked.");
  const shown: ShownPosts[] = [];
  for (const project of projects) {
    const own = checking.of(project.key);
    const posts = listed && (await own.look(() => readPosts(own, project, listed)));
    if (posts === undefined) continue;
    const named = listCategories && (await own.look(() => listCategories(posts.id)));
    shown.push({ ...posts, categories: addCategories(posts.categories, named ?? []) });
  }
  for (const posts of shown) checkPosts(checking.of(posts.project.key), posts, shown);
  for (const project of projects) {
    const own = checking.of(project.key);
    if (account !== undefined) {
      for (const name of repositoryNames(project.settings)) {
        await own.look(() => checkRepository(own, project, name, account));
      }
      await own.look(() => checkFields(own, project.settings));
    }
    checkRules(own, project.settings);
  }
  const categories = shown.flatMap((posts) =>
    posts.categories.map((category) => ({ project: posts.project.key, ...category })),
  );
  return { findings, categories };
}

async function checkAccount({ say, tracker, bounds }: Checking, now: number): Promise<string> {
  const { login } = await tracker.account(bounds);
  say("ok", `The token is accepted; issues will be opened by ${login}.`);
  say("ok", `The server is ${await tracker.server(bounds)}.`);
  const end = describeTokenEnd(tracker.credentialEnds?.(), now);
  if (end !== undefined) say("warning", end, "tracker.token");
  return login;
}

/** What can be said of rules from their text alone. */
function checkRules({ say }: Checking, settings: SyncProject["settings"]): void {
  for (const { index, why } of impossibleRules(settings.rules)) {
    say("error", `rules[${index}] can never match: ${why}.`, "config.impossible");
  }
  for (const { index, by } of shadowedRules(settings.rules)) {
    const names = by.map((one) => `rules[${one}]`).join(" and ");
    const [take, what] =
      by.length === 1 ? ["takes", "all that it sets"] : ["take", "all that it sets between them"];
    const message = `rules[${index}] never decides anything: ${names} above it ${take} ${what}, whenever it would match.`;
    say("error", message, "config.shadowed");
  }
  for (const { index, by } of shadowedBoardRules(settings.boardRules)) {
    const message = `boardRules[${index}] can never match: boardRules[${by}] above it matches whenever it would.`;
    say("error", message, "config.shadowed");
  }
  for (const { boardRule, rule } of fightingRules(settings)) {
    const message = `boardRules[${boardRule}] and rules[${rule}] stand against each other: an issue that boardRules[${boardRule}] has changed comes under rules[${rule}], which would take the post away from what boardRules[${boardRule}] looks at. Nothing loops: the post keeps what it shows, and the difference is listed until one of the two changes. Let rules[${rule}] set what boardRules[${boardRule}] looks at, or look at something else.`;
    say("warning", message, "config.fight");
  }
}

/** What the state knows of names in the rules of projects: who reads the repository alone can't tell a new name from a missing one. */
export async function findNames(ledger: Ledger, keys: readonly string[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { key, project } of foundProjects(keys, ledger)) {
    for (const pin of await ledger.signals.pins(project)) {
      const repo = ledger.memory.repositoryById(pin.repositoryId)?.repository.name ?? "";
      const finding = describePin(repo, pin);
      if (finding !== undefined) findings.push({ ...finding, subject: key, code: `tracker.${pin.kind}` });
    }
  }
  return findings;
}

/**
 * Repositories that hold linked issues and that the config no longer names: links last as long as the state, and a new state looks for
 * its marks only where the config says.
 */
export async function findUnnamed(
  { absences, memory }: Pick<Ledger, "absences" | "memory">,
  projects: readonly SyncProject[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { key, settings } of projects) {
    const id = memory.project(key)?.id;
    for (const repositoryId of id === undefined ? [] : await absences.linkedRepositories(id)) {
      const name = memory.repositoryById(repositoryId)?.repository.name;
      const isNamed = repositoryNames(settings).some(
        (one) => memory.repository(one)?.repository.id === repositoryId,
      );
      if (name === undefined || isNamed) continue;
      const message = `${name} has issues of posts, and the config no longer names it. They are followed for as long as this state lasts; a new state would not find them, and open others. Name it in \`route\`, if need be under a category that no post has.`;
      findings.push({ level: "warning", subject: key, code: "tracker.unnamed", message });
    }
  }
  return findings;
}

function describePin(repo: string, pin: Pin): Pick<Finding, "level" | "message"> | undefined {
  const { kind, name, now } = pin;
  const noun = pinNouns[kind];
  if (now === undefined) {
    const message = `The ${noun} "${name}" of ${repo} was deleted: posts whose decision hangs on it stay as they are. Make a ${noun} of that name, or take it out of the rules.`;
    return { level: "error", message };
  }
  if (!isRenamed(pin)) return undefined;
  const message = `${repo} calls the ${noun} "${name}" "${now}" now. The rules go on to match it for as long as this state remembers the old name: write the new one into the rules.`;
  return { level: "warning", message };
}
