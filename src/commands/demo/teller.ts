import { project, repository } from "../../demo/company.ts";
import type { Story } from "../../demo/story.ts";
import type { PlannedAction, RunReport } from "../../sync/ground/reports.ts";
import { countVoters } from "../../sync/ground/voters.ts";
import type { RunResult } from "../../sync/run.ts";
import type { Output } from "../print/terminal.ts";
import { paint, printLine } from "../print/text.ts";
import type { Stage } from "./stage.ts";

/** What `demo --json` prints: what happened, who was notified, and whether it was as it should be. */
export interface ToldStory {
  readonly runs: readonly RunReport[];
  /** What people did before a run, and what the run changed on either side. */
  readonly days: readonly {
    readonly title: string;
    readonly run: number;
    readonly changes: readonly FieldChange[];
  }[];
  readonly notifications: Story["board"]["notifications"];
  /** What the story says, and what was not so. */
  readonly differences: readonly string[];
}

/** What became of a run. */
export interface Ran {
  readonly report: RunReport;
  readonly changes: readonly FieldChange[];
  readonly mails: ToldStory["notifications"];
  /** Everything that is decided and was not written: it waits, or is held. */
  readonly left: readonly PlannedAction[];
  /** How many voters would hear of that. */
  readonly wouldNotify: number;
}

/** What a chapter tells with. */
export type Teller = ReturnType<typeof createTeller>["teller"];

/** One step: its heading, and what happens in it. */
export interface Chapter {
  readonly title: string;
  tell(teller: Teller): Promise<void> | void;
}

/** What the story is told with. */
export interface Telling {
  readonly stage: Stage;
  readonly out: Output;
  readonly signal: AbortSignal;
  /** Between two steps; undefined where nobody waits for them. */
  readonly pause: (() => Promise<void>) | undefined;
}

/** A teller, and what was told so far. Its runs throw when the signal is aborted: they have not done what would be told of them. */
export function createTeller({ stage, out, signal, pause }: Telling) {
  const { story } = stage;
  const runs: RunReport[] = [];
  const days: ToldStory["days"][number][] = [];
  const differences: string[] = [];
  const spared: number[] = [];
  const { notifications } = story.board;
  let isOver = false;
  const look = async (title: string, run: () => Promise<RunResult>): Promise<Ran> => {
    const before = takeSnapshot(story);
    const heard = notifications.length;
    const { report } = await run();
    signal.throwIfAborted();
    const changes = findChanges(before, takeSnapshot(story));
    const mails = notifications.slice(heard);
    runs.push(report);
    days.push({ title, run: report.run, changes });
    const left = (await stage.plan()).plan.projects.flatMap(({ actions }) => actions);
    const wouldNotify = countVoters(left.map(({ notifies }) => notifies)).known;
    return { report, changes, mails, left, wouldNotify };
  };
  const fact = (text: string, isSo: boolean): void => {
    if (!isSo) differences.push(text);
    const sign = isSo ? paint(out, "green", "✓ ") : paint(out, "red", "✗ ");
    printLine(out, sign, isSo ? text : `Not so: ${text}`);
  };
  const teller = {
    stage,
    story,
    /** Whether a person reads it step by step. */
    isSlow: pause !== undefined,
    /** How many voters would have been notified of what came to nothing, each time. */
    spared,
    say: (text: string) => printLine(out, "  ", text),
    /** Somebody's own words. */
    quote: (text: string) => printLine(out, "    ", text),
    /** A command that is about to be run, and what stands beside it. */
    type(command: string, remark?: string) {
      const beside = remark === undefined ? "" : paint(out, "dim", `   # ${remark}`);
      out.write(`${paint(out, "cyan", `$ ${command}`)}${beside}\n`);
    },
    /** Something that must be so. */
    fact,
    /** The story can't go on after this step. */
    end(why: string) {
      fact(why, false);
      isOver = true;
    },
    /** One run; `title` is what people did before. */
    sync: (title: string) => look(title, stage.sync),
    undo: (title: string, run: number) => look(title, () => stage.undo(run)),
  };
  const told: ToldStory = { runs, days, notifications, differences };
  return { teller, told, /** Whether the story can't go on. */ isOver: () => isOver };
}

/** One field that a sync has changed on one side. */
export interface FieldChange {
  readonly side: "board" | "GitHub";
  /** The post, or the issue. */
  readonly where: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

type ShownFields = Readonly<Record<string, string>>;

/** Everything on both sides that a sync may write. */
export type Snapshot = Readonly<Record<FieldChange["side"], ReadonlyMap<string, ShownFields>>>;

/** Looks at both sides. */
export function takeSnapshot({ board, github }: Story): Snapshot {
  const shown = { board: new Map<string, ShownFields>(), GitHub: new Map<string, ShownFields>() };
  for (const { id, status, roadmapColumn, onRoadmap } of board.posts(project))
    shown.board.set(id, { status, roadmapColumn: roadmapColumn ?? "–", onRoadmap: String(onRoadmap) });
  for (const { number, title, body, state, labels } of github.issues(repository))
    shown.GitHub.set(`${repository}#${number}`, {
      title,
      text: body ?? "",
      state,
      labels: labels.join(", "),
    });
  return shown;
}

/** What is different now, the board first. */
export function findChanges(before: Snapshot, after: Snapshot): readonly FieldChange[] {
  return (["board", "GitHub"] as const).flatMap((side) =>
    [...after[side]].flatMap(([where, fields]) => {
      const known = before[side].get(where) ?? {};
      return Object.entries(fields)
        .filter(([field, value]) => value !== known[field])
        .map(([field, value]) => ({ side, where, field, before: known[field] ?? "–", after: value }));
    }),
  );
}
