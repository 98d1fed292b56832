import { OutdatedError } from "../../errors.ts";
import type { IssueRef } from "../../model/issue.ts";
import type { Namesake, PostId } from "../../model/post.ts";
import { readRules, writeRules } from "../../plan/ground/identity.ts";
import { isAlike, judgeNamesake } from "../../plan/namesake.ts";
import { type BoardPull, type Cycle, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { command, linkOrMake } from "../ground/remedy.ts";
import { asOne, readRow } from "../ground/rows.ts";
import { findSynced, rulesNow, underRules } from "../ground/settings-now.ts";
import type { Hold, HoldOf, Wanted } from "../ground/verdict.ts";

/**
 * Posts that the board has moved here from another project of the config keep their issues: the links and all that is known of
 * them follow. What this project's rules alone would change is held, as after a change of the rules. To be called when the
 * board has been read.
 */
export async function followPosts(cycle: Cycle, { seen }: BoardPull): Promise<void> {
  const { ledger, log } = cycle.world;
  for (const namesake of await ledger.lookup.namesakes(cycle.memory.id, undefined)) {
    if (judgeNow(cycle, namesake) !== "moved") continue;
    if (!(await isFollowed(cycle, namesake, seen))) continue;
    const { post, project } = namesake;
    log.info(
      { project: cycle.project.key, post, from: nameProject(cycle, namesake), fromId: project },
      "The board has moved a post here from another project: its issues follow it",
    );
  }
}

/** Another process may have the old project, and a write for the post under way. The next run looks again. */
async function isFollowed(cycle: Cycle, namesake: Namesake, seen: BoardPull["seen"]): Promise<boolean> {
  try {
    await asOne(cycle, (own) => followPost(own, namesake, seen));
    return true;
  } catch (error) {
    if (error instanceof OutdatedError) return false;
    throw error;
  }
}

async function followPost(
  cycle: Cycle,
  { post, project: from }: Namesake,
  seen: BoardPull["seen"],
): Promise<void> {
  const { ledger, clock } = cycle.world;
  const { settings, memory } = cycle;
  const now = clock.now();
  await ledger.commit([{ kind: "move-post", project: from, post, to: memory.id }]);
  const row = await ledger.rows.row(memory.id, post, now);
  if (row === undefined || row.links.length === 0) return;
  const rules = findSynced(cycle.world, from)?.rules ?? "";
  // The same rules ask for the same, also where they can't be evaluated now.
  if (rules === writeRules(cycle.project.settings)) return;
  const context = { before: rulesNow(readRules(rules), from, ledger.memory), settings, seen, now };
  const { bases, changes } = await underRules(cycle.world, memory.id, row, context);
  await ledger.commit([...changes, { kind: "set-bases", project: memory.id, post, bases }]);
}

/** Holds new issues of posts that may have one already: in another project, or under another id. */
export async function holdsOfNamesakes(cycle: PulledCycle, creates: readonly Wanted[]): Promise<HoldOf> {
  const posts = creates.map(({ post }) => post);
  const found = await cycle.world.ledger.lookup.namesakes(cycle.memory.id, posts);
  const moved = new Map(
    found.flatMap((namesake): readonly [PostId, Hold][] => {
      const judged = judgeNow(cycle, namesake);
      if (judged === "other") return [];
      const why = sayNamesake(cycle, namesake, judged !== "unsure");
      return [[namesake.post, { kind: "hold", cause: "namesake", why, since: namesake.since }]];
    }),
  );
  const holdOfRenamed = await holdsOfRenamed(cycle);
  return (create) => moved.get(create.post) ?? holdOfRenamed(create);
}

/** A board may spell its ids anew: then this list lacks a post with an issue, and shows one of the same title and time of creation. */
async function holdsOfRenamed(cycle: PulledCycle): Promise<HoldOf> {
  const { rows, lookup } = cycle.world.ledger;
  const { id } = cycle.memory;
  const { key } = cycle.project;
  const { missing } = await rows.counts(id);
  if (missing === 0) return () => undefined;
  const gone = await rows.waiting(id, missing, ["missing"]);
  const known = await lookup.linkedPosts(
    id,
    gone.map(({ post }) => post),
  );
  return async ({ post }) => {
    const here = (await readRow(cycle, post))?.post.values;
    const before = gone.find((one) => here && isAlike({ here, there: known.get(one.post) }));
    const [issue] = before?.issues ?? [];
    if (before === undefined || issue === undefined) return undefined;
    const why = `${key}/${before.post} has ${nameIssue(cycle, issue)}, and is not listed any more; this post has its title and its time of creation, so it may be the same by another id: ${sayWays(cycle, post, issue)}`;
    return { kind: "hold", cause: "namesake", why, since: before.since };
  };
}

function judgeNow(cycle: Cycle, namesake: Namesake): ReturnType<typeof judgeNamesake> {
  return judgeNamesake({
    ...namesake,
    dueAt: cycle.run.dueAt,
    isSynced: findSynced(cycle.world, namesake.project) !== undefined,
  });
}

function sayNamesake(cycle: Cycle, namesake: Namesake, isLater: boolean): string {
  const { post, issues } = namesake;
  const other = nameProject(cycle, namesake);
  const [issue] = issues;
  const has = issue === undefined ? "" : ` has ${nameIssue(cycle, issue)}, and`;
  if (isLater)
    return `${other}/${post}${has} may be this very post, moved: it waits for the next complete list of ${other}, which tells; ${sayWays(cycle, post)} at once`;
  return `${other}/${post}${has} is not listed there any more; this post has its id, but boardsync can't tell whether it is the same: ${sayWays(cycle, post, issue)}`;
}

/** What a person may do: link the issue that is there, or open another one. */
function sayWays(cycle: Cycle, post: PostId, issue?: IssueRef): string {
  const { key } = cycle.project;
  if (issue !== undefined) return linkOrMake(key, post, nameIssue(cycle, issue));
  return `\`${command("approve", key, post)}\` opens a new issue`;
}

function nameProject(cycle: Cycle, { project }: Namesake): string {
  return findSynced(cycle.world, project)?.key ?? project;
}
