import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Setting, World } from "./world.ts";

/** Something that a run does, and that is broken off at each of its steps. */
export interface Scenario {
  /** As a behaviour. */
  readonly name: string;
  readonly setting: Setting;
  /** The world before the run: posts, and where `inStep` is said, what people did after a first sync. */
  readonly before: (world: World) => void;
  /** What people do once a first sync has brought both sides in step. Without it there is no first sync. */
  readonly change?: (world: World) => void | Promise<void>;
  /** What is run and broken off; `sync` without it. */
  readonly command?: readonly string[];
  /** How many entries the changelog has in the end; none without it. */
  readonly entries?: number;
  /** How many issues there are in the end, and how many mails have gone out, those of the time before included. */
  readonly issues: number;
  readonly mails: number;
  /**
   * The board gives no proof of what it did, so that an unknown outcome may end as parked: then fewer mails, never more, and
   * what differs is said.
   */
  readonly mayPark?: boolean;
  /** Whether what was tried once comes last: then the board numbers its posts otherwise. */
  readonly isInAnyOrder?: boolean;
}

const app = "acme-app";
const repo = "acme/app";
const repository = { name: repo, labels: ["feedback", "in progress"], collaborators: ["dana"] } as const;

const rules = [
  {
    when: { state: "closed", reason: "completed" },
    set: { status: "completed", roadmapColumn: "COMPLETED" },
  },
  { when: { state: "closed" }, set: { status: "closed", onRoadmap: false } },
  { when: { labels: ["in progress"] }, set: { status: "in_progress", roadmapColumn: "IN_PROGRESS" } },
];

/** A closed issue is called `shipped` by now, and an open one `accepted`. */
const otherRules = [
  { when: { state: "closed" }, set: { status: "shipped" } },
  { when: { state: "open" }, set: { status: "accepted" } },
];

const select = { statuses: ["planned", "in_progress"] };
const standard = { project: app, repo, select, issue: { labels: ["feedback"] }, rules };
const setting: Setting = { config: { projects: [standard] }, repositories: [repository] };

function addPosts(count: number, project = app): (world: World) => void {
  return ({ board }) => {
    for (let post = 1; post <= count; post += 1) {
      board.addPost(project, { status: "planned", votes: 10 * post, title: `Wish ${post} of ${project}` });
    }
  };
}

const tools = {
  feedbackCreate: {
    name: "create_feedback",
    args: { title: "{{ issue.title }}", description: "{{ issue.body }}" },
  },
  changelogList: { name: "list_changelog" },
  changelogCreate: {
    name: "create_changelog",
    args: { title: "{{ entry.title }}", content: "{{ entry.body }}", publish: false },
  },
  changelogPublish: { name: "publish_changelog", args: { id: "{{ entry.id }}" } },
};

/** An import of many posts, for more than one crash. */
export const importOf = (count: number): Scenario => ({
  name: `${count} posts become issues`,
  issues: count,
  mails: 0,
  setting,
  before: addPosts(count),
});

/** All of them. `README.md` has the same list. */
export const scenarios: readonly Scenario[] = [
  {
    name: "three posts become issues, and their labels are made",
    issues: 3,
    mails: 0,
    setting: {
      config: { projects: [{ ...standard, issue: { labels: ["feedback", "idea"] } }] },
      repositories: [{ name: repo }],
    },
    before: addPosts(3),
  },
  {
    name: "a new issue at once moves its post and tells the voters",
    issues: 2,
    mails: 2,
    setting: {
      config: {
        projects: [
          { ...standard, rules: [...rules, { when: { state: "open" }, set: { status: "in_progress" } }] },
        ],
      },
      repositories: [repository],
    },
    before: addPosts(2),
  },
  {
    name: "issues closed, labelled and reopened move their posts",
    issues: 4,
    mails: 5,
    setting,
    before: addPosts(4),
    change: async (world) => {
      const { github } = world;
      github.close(repo, 4, "completed");
      await world.runHere(["sync"]);
      github.close(repo, 1, "completed");
      github.label(repo, 2, "in progress");
      github.close(repo, 3, "not_planned");
      github.reopen(repo, 4);
    },
  },
  {
    name: "edits of posts are followed into their issues",
    issues: 2,
    mails: 0,
    setting,
    before: addPosts(2),
    change: ({ board }) => {
      board.editPost(app, "p1", { title: "Another wish", description: "In other words." });
      board.editPost(app, "p2", { description: "And more of it." });
    },
  },
  {
    name: "a post goes back to where it was when no rule holds any more",
    issues: 2,
    mails: 4,
    setting,
    before: addPosts(2),
    change: async (world) => {
      world.github.label(repo, 1, "in progress");
      world.github.close(repo, 2, "completed");
      await world.runHere(["sync"]);
      world.github.unlabel(repo, 1, "in progress");
      world.github.reopen(repo, 2);
    },
  },
  {
    name: "a lost state finds its issues again, and goes on",
    issues: 4,
    mails: 0,
    setting,
    before: addPosts(3),
    change: (world) => {
      world.loseState();
      addPosts(1)(world);
      world.github.close(repo, 1, "completed");
    },
  },
  {
    name: "--adopt takes both sides as they are",
    issues: 3,
    mails: 0,
    setting,
    before: addPosts(3),
    change: (world) => {
      world.github.close(repo, 2, "completed");
      world.loseState();
    },
    command: ["sync", "--adopt"],
  },
  {
    name: "two projects, each with its repository",
    issues: 3,
    mails: 2,
    setting: {
      config: {
        projects: [{ ...standard }, { ...standard, project: "acme-api", repo: "acme/api" }],
      },
      repositories: [repository, { ...repository, name: "acme/api" }],
    },
    before: (world) => {
      addPosts(1)(world);
      addPosts(1, "acme-api")(world);
    },
    change: (world) => {
      world.github.close(repo, 1, "completed");
      world.github.close("acme/api", 1, "not_planned");
      addPosts(1)(world);
    },
  },
  {
    name: "an assignee whom GitHub refuses is left out",
    issues: 2,
    mails: 0,
    setting: {
      config: { projects: [{ ...standard, issue: { labels: ["feedback"], assignees: ["gone"] } }] },
      repositories: [repository],
    },
    before: addPosts(2),
  },
  {
    name: "held writes are approved and let go",
    issues: 3,
    mails: 3,
    setting: { ...setting, config: { ...setting.config, guard: { statuses: 1 } } },
    before: addPosts(3),
    change: async (world) => {
      for (const number of [1, 2, 3]) world.github.close(repo, number, "completed");
      await world.runHere(["sync"]);
      await world.runHere(["approve", app, "--yes"]);
    },
  },
  {
    name: "changed rules are approved and followed",
    issues: 2,
    mails: 3,
    setting,
    before: addPosts(2),
    change: async (world) => {
      world.github.close(repo, 1, "completed");
      await world.runHere(["sync"]);
      world.reconfigure({ projects: [{ ...standard, rules: otherRules }] });
      await world.runHere(["sync"]);
      await world.runHere(["approve", app, "--yes"]);
    },
  },
  {
    name: "a copy that was put back takes both sides as they are, and goes on",
    issues: 4,
    mails: 2,
    setting,
    before: addPosts(2),
    change: async (world) => {
      await world.runHere(["backup", "backup.db"]);
      world.github.close(repo, 1, "completed");
      addPosts(1)(world);
      await world.runHere(["sync"]);
      world.loseState();
      copyFileSync(join(world.folder, "backup.db"), join(world.folder, "state.db"));
      // What happens while it is taken up counts as it was before.
      world.github.close(repo, 2, "completed");
      await world.runHere(["sync"]);
      world.github.label(repo, 3, "in progress");
      addPosts(1)(world);
    },
  },
  {
    name: "a lost state is rebuilt from the marks in the issues",
    issues: 3,
    mails: 0,
    setting,
    before: addPosts(3),
    change: (world) => {
      world.github.close(repo, 2, "completed");
      world.loseState();
    },
    command: ["rebuild"],
  },
  {
    name: "issues that were moved to another repository are followed",
    issues: 3,
    mails: 2,
    setting: {
      config: { projects: [{ ...standard, route: [{ category: "cat_api", repo: "acme/api" }] }] },
      repositories: [repository, { ...repository, name: "acme/api" }],
    },
    before: addPosts(3),
    change: async (world) => {
      for (const number of [1, 2]) world.github.transfer(repo, number, "acme/api");
      await world.runHere(["sync"]);
      for (const number of [1, 2]) world.github.close("acme/api", number, "completed");
    },
  },
  {
    name: "ten labelled issues become ten posts",
    isInAnyOrder: true,
    issues: 10,
    mails: 0,
    setting: {
      config: { projects: [{ ...standard, import: { labels: ["idea"] } }] },
      repositories: [{ ...repository, labels: [...repository.labels, "idea"] }],
      tools,
    },
    before: ({ github }) => {
      for (let wish = 1; wish <= 10; wish += 1)
        github.openIssue(repo, { title: `Idea ${wish}`, author: "dana", labels: ["idea"] });
    },
  },
  {
    name: "a release becomes a draft of the changelog, and is published once when a person lets it go",
    issues: 1,
    mails: 1,
    entries: 2,
    setting: {
      config: { projects: [{ ...standard, changelog: { releases: "v*", publish: "approve" } }] },
      repositories: [repository],
      tools,
    },
    before: addPosts(1),
    change: async (world) => {
      world.github.close(repo, 1, "completed");
      world.github.publishRelease(repo, { tag: "v1.0", body: "One" });
      await world.runHere(["sync"]);
      await world.runHere(["approve", app, "changelog:v1.0", "--yes"]);
      world.github.publishRelease(repo, { tag: "v1.1", body: "Two" });
    },
  },
  {
    name: "a board that shows no time of its records never hears twice",
    issues: 3,
    mails: 2,
    setting: { ...setting, style: { showsUpdatedAt: false } },
    before: addPosts(3),
    change: ({ github }) => {
      github.close(repo, 1, "completed");
      github.label(repo, 2, "in progress");
    },
    mayPark: true,
  },
];
