import { buildWorld } from "../../app.ts";
import { StateHeldError } from "../../errors.ts";
import { sum } from "../../select.ts";
import { type RebuildReport, type RebuiltProject, rebuildProjects } from "../../story/rebuild/rebuild.ts";
import type { Timed } from "../../sync/tell/times.ts";
import { count } from "../../sync/tell/words.ts";
import { inSession } from "../open/session.ts";
import { placeOfState, withState } from "../open/state.ts";
import { type Column, printRecords } from "../print/table.ts";
import {
  type CommandCall,
  type CommonOptions,
  exitOf,
  type Output,
  type ProjectOptions,
  type Terminal,
} from "../print/terminal.ts";
import { oneLine, paint, printJson, printLine } from "../print/text.ts";
import { errorOf, exitOfResult, printErrors } from "../reports/run.ts";

/**
 * `boardsync rebuild`: makes a lost or old state anew from the marks in the issues, and says what a person should look at.
 * Needs the state for itself; writes nothing to either side.
 */
export async function rebuild(called: CommandCall<CommonOptions & ProjectOptions>): Promise<number> {
  return inSession(called, ({ terminal, options, clean, config, machine, sides, projects }) => {
    const place = placeOfState(terminal, config);
    return withState(place, machine.log, "rebuild", projects, async (ledger) => {
      // On a server a daemon between two runs holds no project, and works with the state all the same.
      const [other] = await ledger.runs.replicas();
      if (other !== undefined)
        throw new StateHeldError(`The state at ${place.name} is held by ${other.who}.`);
      const world = buildWorld(config, sides, ledger, machine);
      const report = await rebuildProjects(projects, world, terminal.signal);
      printRebuild(terminal, options, clean(report));
      return exitOf(terminal, exitOfResult(report.result));
    });
  });
}

/** More lines than this of one kind are counted, not shown. */
const maxLines = 20;

/** A rebuild, as JSON or for a person. */
export function printRebuild(
  { out, times }: Pick<Terminal, "out"> & Timed,
  options: CommonOptions,
  report: RebuildReport,
): void {
  const { projects } = report;
  if (options.json === true) printJson(out, { ...report, ...errorOf(report.result, projects) });
  if (options.json === true || options.quiet === true) return;
  printRecords(out, columns, projects);
  for (const project of projects) {
    for (const finding of findings) printFinding(out, project, finding(project));
    if (project.hold !== undefined) {
      const said = `${project.project}: needs you: ${times().tell(project.hold)}`;
      printLine(out, paint(out, "yellow", "! "), oneLine(said));
    }
  }
  printErrors(out, times(), projects);
  printLine(out, "", times().tell(sentenceOf(report)));
}

const columns: readonly Column<RebuiltProject>[] = [
  { title: "project", show: ({ project }) => project },
  { title: "posts", show: ({ posts }) => String(posts) },
  { title: "links kept", show: ({ kept }) => String(kept) },
  { title: "links found", show: ({ found }) => String(found) },
  { title: "differ", show: ({ disagreements }) => String(disagreements.length) },
  { title: "duplicates", show: ({ duplicates }) => String(duplicates.length), isOptional: true },
  { title: "strangers", show: ({ strangers }) => String(strangers.length), isOptional: true },
  { title: "edited", show: ({ edited }) => String(edited.length), isOptional: true },
  { title: "unreadable", show: ({ unreadable }) => String(unreadable.length), isOptional: true },
  { title: "orphans", show: ({ orphans }) => String(orphans.length), isOptional: true },
  { title: "absent", show: ({ absent }) => String(absent.length), isOptional: true },
  { title: "other boards", show: ({ otherBoards }) => String(otherBoards), isOptional: true },
  { title: "failed", show: ({ errors }) => String(errors.length), isOptional: true },
];

/** One kind of finding: its lines, and what to do about all of them. */
interface FindingGroup {
  readonly lines: readonly string[];
  readonly advice: string;
}

const findings: readonly ((project: RebuiltProject) => FindingGroup)[] = [
  ({ disagreements }) => ({
    lines: disagreements.map(({ post, issues, message }) => {
      return `differ: post ${post}${issues.length === 0 ? "" : ` (${issues.join(", ")})`}: ${message}`;
    }),
    advice:
      "What differs stays as it is on both sides, until the issue changes. To move a post now, change it on the board.",
  }),
  ({ duplicates }) => ({
    lines: duplicates.map(({ post, used, others }) => {
      return `duplicate: post ${post} has ${used}; ${others.join(", ")} ${others.length === 1 ? "carries" : "carry"} its mark, too`;
    }),
    advice: "Close what is too many by hand: boardsync never closes an issue because of this.",
  }),
  ({ strangers }) => ({
    lines: strangers.map(({ issue, post, author, linked }) => {
      const so = linked ? "the post has an issue of its own" : "the post has no issue";
      return `stranger: ${issue} carries the mark of post ${post}, and was opened by ${author ?? "an account that is gone"}: not taken; ${so}`;
    }),
    advice:
      "Did an earlier account of yours open them? Then name it in `tracker.trustedAuthors` and rebuild again, before a run opens new issues for those posts. Otherwise ignore them.",
  }),
  ({ edited }) => ({
    lines: edited.map(({ issue, post, editors }) => {
      const who =
        editors === "unknown"
          ? "GitHub does not say who edited its text"
          : `its text was edited by ${editors.map((login) => login ?? "an account that is gone").join(", ")}`;
      return `edited: ${issue} was linked to post ${post}, and ${who}`;
    }),
    advice:
      "Is each of these issues about that post? Its edit history on GitHub shows what its text said before; `boardsync unlink` and `link` put a wrong one right.",
  }),
  ({ unreadable }) => ({
    lines: unreadable.map(({ issue, linked }) => {
      return `unreadable: the mark of ${issue} can't be read${linked ? "; it is linked all the same" : ", so it is not linked"}`;
    }),
    advice:
      "The mark has to begin the issue's text, as it was written: the issue's edit history has it. Put it back and rebuild again, before a run opens a second issue.",
  }),
  ({ orphans }) => ({
    lines: orphans.map(({ issue, post, reason }) => {
      const why =
        reason === "not listed"
          ? "which the board does not list"
          : "of a project that the config does not have";
      return `orphan: ${issue} carries the mark of post ${post}, ${why}`;
    }),
    advice: "Orphans are left alone. A post that comes back is linked to its issue again.",
  }),
  ({ absent }) => ({
    lines: absent.map(({ issue, post, reason }) => `absent: ${issue} of post ${post}: ${reason}`),
    advice: "The links stay. `boardsync status` says what waits for you.",
  }),
  ({ otherBoards }) => ({
    lines:
      otherBoards === 0
        ? []
        : [`other board: ${count(otherBoards, "issue")} of ours with the mark of another \`board.url\``],
    advice:
      "If the board has only a new address, name the old one in `board.formerUrls` and rebuild again: then its issues are linked.",
  }),
];

function printFinding(out: Output, { project }: RebuiltProject, { lines, advice }: FindingGroup): void {
  if (lines.length === 0) return;
  for (const line of lines.slice(0, maxLines)) {
    printLine(out, paint(out, "yellow", "! "), oneLine(`${project}: ${line}`));
  }
  if (lines.length > maxLines) {
    printLine(out, "  ", `${project}: and ${lines.length - maxLines} more; \`--json\` has them all.`);
  }
  printLine(out, "→ ", advice);
}

function sentenceOf({ durationMs, result, projects }: RebuildReport): string {
  if (result === "failed") {
    return "Nothing was rebuilt, because a side could not be reached or refused to let us in.";
  }
  const found = sum(projects.map((project) => project.found));
  const kept = sum(projects.map((project) => project.kept));
  const said =
    found === 0 && kept > 0
      ? `all ${count(kept, "link")} were known already, and both sides of each were taken as they are`
      : `${count(found, "issue")} linked by ${found === 1 ? "its mark" : "their marks"}, ${count(kept, "link")} kept`;
  const waits = projects.flatMap(({ waitsUntil }) => waitsUntil ?? []).sort();
  const wait = waits.length === 0 ? "" : ` New issues wait until ${waits.at(-1)}.`;
  const next =
    result === "partial" ? "`boardsync rebuild` again, when what failed is mended" : "`boardsync plan`";
  return `${(durationMs / 1000).toFixed(1)} s: ${said}; nothing was written to the board or to GitHub.${wait} Next: ${next}.`;
}
