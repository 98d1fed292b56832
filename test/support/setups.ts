import type { RebuildFindings } from "../../src/story/rebuild/findings.ts";
import {
  addPlanned,
  type ConfigPart,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "./stage.ts";

/** How a stage is set up, and what it shows, where several tests want the same. */

/** Private, with the labels that `standardProject` writes and looks at. */
export function privateRepositories(...names: readonly string[]): NonNullable<StageOptions["repositories"]> {
  return names.map((name) => ({ name, private: true, labels: ["feedback", "in progress"] }));
}

/** `acme-app`, and a second project of the same board. */
export const twoProjects: NonNullable<StageOptions["boardProjects"]> = [
  { id: "prj_app", slug: "acme-app" },
  { id: "prj_api", slug: "acme-api" },
];

/** `standardProject`, but posts of the category `cat_api` go to `acme/api`. */
export const routedProject = { ...standardProject, route: [{ category: "cat_api", repo: "acme/api" }] };

/** One project with two repositories. */
export const twoRepositories: StageOptions = {
  repositories: privateRepositories("acme/app", "acme/api"),
  projects: [routedProject],
};

/** A stage with planned posts that have an issue each, all in step. */
export async function openPosts(count: number, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage(options);
  addPlanned(stage, count);
  await stage.sync();
  await stage.sync();
  stage.mark();
  return stage;
}

/** A project on the tracker, where there is one. */
export const roadmap = { owner: "acme", number: 7 };

/** What a rule asks of it. */
export const inProgress: ConfigPart = { projectStatus: { project: 7, is: ["In progress"] } };

/** A project that sets a status where a condition holds, below the rule for what was completed. */
export function lookingAt(when: ConfigPart): ConfigPart {
  const done = { when: { state: "closed", reason: "completed" }, set: { status: "completed" } };
  return { ...standardProject, rules: [done, { when, set: { status: "in_progress" } }] };
}

/** `openPosts` in a project that looks at something, beside a project on the tracker in which none of the issues is. */
export async function openLooking(when: ConfigPart, count = 1, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage({ projects: [lookingAt(when)], ...options });
  stage.github.addProject(roadmap, { Status: ["Todo", "In progress", "Done"] });
  addPlanned(stage, count);
  await stage.sync();
  await stage.sync();
  stage.mark();
  return stage;
}

/** What a rebuild tells a person of a project: nothing, but for what a test names. */
export function makeFindings(found: Partial<RebuildFindings> = {}): RebuildFindings {
  return {
    disagreements: [],
    duplicates: [],
    strangers: [],
    edited: [],
    unreadable: [],
    orphans: [],
    absent: [],
    otherBoards: 0,
    ...found,
  };
}
