import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { RepositorySetup } from "../support/sandbox/github/state/repositories.ts";
import { type ConfigPart, hourMs, minuteMs, openStage, type Stage } from "../support/stage.ts";

/** A sample of `config`, between a board and a GitHub of its own, and a calendar. */
export interface Month {
  readonly stage: Stage;
  /**
   * Goes on to a day of the month, where people do something in the morning; on the days before nothing happens, and
   * nothing may be written then. Returns what the day brought, once all that has to settle has settled.
   */
  on(day: number, what: string, act: () => void): Promise<News>;
}

/** What one day brought. */
export interface News {
  /** Of each post that was written to: `p1: status in_progress, roadmapColumn IN_PROGRESS`. */
  readonly board: readonly string[];
  /** `POST /repos/acme/app/issues` and the like. */
  readonly github: readonly string[];
  /** Of each mail to voters: `p1: planned → in_progress, to 12`. */
  readonly mails: readonly string[];
}

/** Opens a stage with a sample's own text: only the two addresses are the sandboxes'. */
export async function openSample(name: string, repositories: readonly RepositorySetup[]): Promise<Month> {
  const file = fileURLToPath(new URL(`../../config/${name}.yaml`, import.meta.url));
  const { board: _board, projects, ...config } = parse(readFileSync(file, "utf8")) as ConfigPart;
  const named = projects as readonly (ConfigPart & { readonly project: string })[];
  const stage = await openStage({
    boardProjects: named.map(({ project }) => ({ id: `prj_${project}`, slug: project, name: project })),
    repositories,
    config,
    projects: named,
  });
  const start = stage.clock.now();
  let today = 0;
  return {
    stage,
    async on(day, what, act) {
      for (let quiet = today + 1; quiet < day; quiet += 1) {
        wakeAt(stage, start + quiet * 24 * hourMs);
        const news = await spendDay(stage, 1);
        if (news.board.length + news.github.length > 0) {
          throw new Error(`Nothing happened on day ${quiet}, before "${what}", but: ${JSON.stringify(news)}`);
        }
      }
      wakeAt(stage, start + day * 24 * hourMs);
      today = day;
      act();
      // Before and after anything can have settled; the third run has nothing left to do.
      return spendDay(stage, 3);
    },
  };
}

function wakeAt(stage: Stage, at: number): void {
  stage.clock.skip(Math.max(0, at - stage.clock.now()));
}

async function spendDay(stage: Stage, runs: number): Promise<News> {
  stage.mark();
  const mailed = stage.board.notifications.length;
  for (let run = 0; run < runs; run += 1) {
    const report = await stage.sync();
    if (report.result !== "ok") throw new Error(`A run was not in step: ${JSON.stringify(report)}`);
    stage.clock.skip(20 * minuteMs);
  }
  const isGitHub = (write: string): boolean => write.includes("/repos/");
  return {
    board: stage.patches().map(({ path, body }) => `${path.slice("/feedback/".length)}: ${tell(body)}`),
    github: stage.writes().filter(isGitHub),
    mails: stage.board.notifications
      .slice(mailed)
      .map(({ post, from, to, voters }) => `${post}: ${from} → ${to}, to ${voters}`),
  };
}

function tell(body: unknown): string {
  return Object.entries(body as object)
    .map(([field, value]) => `${field} ${value}`)
    .join(", ");
}
