import { foreseePublish } from "../../src/sync/orders/publish.ts";
import type { HubIssue } from "./github-server.ts";
import type { Step } from "./history.ts";
import type { Odds } from "./odds.ts";
import { startLife } from "./process.ts";
import { pickWeighted, type Random } from "./random.ts";
import { otherRepo, ownRepo, projectId, projectKey, type Scenario } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import type { Entry } from "./tools.ts";

/** What makes an issue a post. */
export const wishLabel = "idea";

const createPost = { title: "{{ issue.title }}", description: "{{ issue.body }}" };
const entryArgs = {
  create: { tag: "{{ release.tag }}", title: "{{ entry.title }}", text: "{{ entry.body }}" },
  update: { id: "{{ entry.id }}", title: "{{ entry.title }}", text: "{{ entry.body }}" },
  publish: { id: "{{ entry.id }}" },
};

/** Some histories have a board with tools of its own. That is drawn apart, so that all other histories stay what they were. */
export function addTools(scenario: Scenario, random: Random, odds: Odds): Scenario {
  if (!random.chance(odds.tools)) return scenario;
  const publish = random.chance(0.8) ? "approve" : "never";
  const body = "{{ release.notes }}\n{% for post in posts %}- {{ post.title }}\n{% endfor %}";
  const changelog = {
    releases: "v*",
    prereleases: false,
    title: "{{ release.name }}",
    body,
    publish,
  } as const;
  const uses = random.pick([["import"], ["changelog"], ["import", "changelog"]]);
  return {
    ...scenario,
    tools: {
      hasPosts: uses.includes("import"),
      hasEntries: uses.includes("changelog"),
      hasList: random.chance(0.85),
    },
    settings: {
      ...scenario.settings,
      ...(uses.includes("import") && {
        import: { labels: [wishLabel], fromAnyone: random.chance(0.2), args: createPost },
      }),
      ...(uses.includes("changelog") && { changelog: { ...changelog, args: entryArgs } }),
    },
  };
}

/** Puts some of these steps between the others, after the first run. */
export function addToolSteps(steps: readonly Step[], { tools }: Scenario, random: Random): readonly Step[] {
  if (tools === undefined) return steps;
  const all = [...steps];
  for (let count = random.between(3, 10); count > 0; count -= 1) {
    const seed = random.seed();
    const at = random.between(1, all.length);
    const run: readonly Step[] = random.chance(0.5)
      ? [{ kind: "sync", seed: random.seed(), hasFaults: true }]
      : [];
    all.splice(at, 0, { kind: "tool", seed }, ...run);
  }
  return all;
}

const postActs = { wish: 6, guest: 1, label: 4, unlabel: 2, rival: 1 } as const;
const entryActs = {
  release: 6,
  editRelease: 3,
  deleteRelease: 1,
  approve: 8,
  editEntry: 1,
  publishEntry: 1,
  removeEntry: 0.5,
} as const;

/** Maintainers label issues and publish releases; people let entries go, and deal with them on the board. */
export async function actOnTools(stage: Stage, random: Random): Promise<string> {
  const { hasPosts = false, hasEntries = false } = stage.scenario.tools ?? {};
  const isPost = hasPosts && (!hasEntries || random.chance(0.5));
  const act = isPost ? pickWeighted(random, postActs) : pickWeighted(random, entryActs);
  stage.counts.note(`tools: ${act}`);
  switch (act) {
    case "wish":
    case "guest":
      return openWish(stage, random, act === "wish" ? "maintainer" : "guest");
    case "label":
    case "unlabel":
      return labelIssue(stage, random, act);
    case "rival":
      return addRival(stage, random);
    case "release":
    case "editRelease":
    case "deleteRelease":
      return actOnRelease(stage, random, act);
    case "approve":
      return approveEntry(stage, random);
    case "editEntry":
    case "publishEntry":
    case "removeEntry":
      return actOnEntry(stage, random, act);
  }
}

function openWish({ hub, watch }: Stage, random: Random, author: string): string {
  const name = random.chance(0.8) ? ownRepo : otherRepo;
  const repository = hub.repositories.find((one) => one.name === name || one.formerNames.includes(name));
  if (repository === undefined) return "nobody finds the repository";
  const title = `Idea ${random.below(5)}`;
  const body = random.pick(["", "So that @octocat need not ask.", "See #1."]);
  const issue = hub.open(repository, { title, body, author, labels: [wishLabel] });
  watch.events.issueMoves(issue);
  return `${author} opens ${repository.name}#${issue.number}, labelled '${wishLabel}'`;
}

/**
 * Of an issue that shows a post's text people make no other post. Where an issue was moved to another repository before any list shows
 * what it has become, and is labelled there, too, nobody could tell: that is not played.
 */
function labelIssue({ hub, time, tools, watch }: Stage, random: Random, act: "label" | "unlabel"): string {
  if (act === "label" && (time.pending > 0 || !tools.isSettled())) return "nobody labels an issue now";
  const issues = hub.repositories.flatMap(({ issues }) => issues.filter(isPlain));
  if (issues.length === 0) return "nobody finds an issue";
  const issue = random.pick(issues);
  hub.act(0, (people) => people[act](issue.repository.name, issue.number, wishLabel));
  watch.events.issueMoves(issue);
  return `a maintainer ${act}s ${issue.repository.name}#${issue.number}: ${wishLabel}`;
}

function isPlain({ isDeleted, record }: HubIssue): boolean {
  return !isDeleted && !/canary/i.test(record.body);
}

/** A customer wishes for what an issue asks for. */
function addRival({ board }: Stage, random: Random): string {
  const post = board.make({ title: `Idea ${random.below(5)}`, description: "As I said.", status: "open" }, 0);
  return `somebody adds ${post.id}, called ${post.values.title}`;
}

function actOnRelease(
  { hub }: Stage,
  random: Random,
  act: "release" | "editRelease" | "deleteRelease",
): string {
  const repository = hub.repositories.find(({ name, formerNames }) =>
    [name, ...formerNames].includes(ownRepo),
  );
  if (repository === undefined) return "nobody finds the repository";
  const { id, name } = repository;
  const releases = hub.state.signals.releases.get(id) ?? [];
  if (act === "release" || releases.length === 0) {
    const tag = `v${releases.length + 1}.${random.below(3)}`;
    if (releases.some((one) => one.tag === tag)) return "nobody publishes it twice";
    hub.act(0, (people) => people.publishRelease(name, { tag, name: `Release ${tag}`, body: "One thing." }));
    return `somebody publishes the release ${tag}`;
  }
  const { tag } = random.pick(releases);
  const body = `Edit ${random.below(1_000)}.`;
  hub.act(0, (people) =>
    act === "editRelease" ? people.editRelease(name, tag, { body }) : people.deleteRelease(name, tag),
  );
  return `somebody ${act === "editRelease" ? "edits" : "deletes"} the release ${tag}`;
}

/** As the command does: what is shown now is let go. */
async function approveEntry(stage: Stage, random: Random): Promise<string> {
  const { state, time, scenario, tools, watch } = stage;
  const entries = tools.entries.filter(({ isDeleted }) => !isDeleted);
  if (entries.length === 0) return "nobody finds an entry";
  const { tag, madeBy } = random.pick(entries);
  // There is always one that nobody lets go.
  if (tag.endsWith(".2")) return `nobody lets ${tag} go`;
  const ledger = state.open(startLife());
  const at = time.now() + scenario.skewMs;
  const sight = { ledger, now: at, pending: undefined } as unknown as Parameters<typeof foreseePublish>[0];
  const named = { key: projectKey, project: projectId } as unknown as Parameters<typeof foreseePublish>[1];
  const foreseen = await foreseePublish(sight, named, tag);
  if ("nothing" in foreseen) return foreseen.nothing;
  const changes = foreseen.asks({ at } as Parameters<typeof foreseen.asks>[0]);
  await ledger.commit(changes);
  // What they let go is what they see.
  for (const change of changes)
    if (change.kind === "add-request" && change.request.kind === "publish")
      watch.events.personOrders({ ...change.request, hash: madeBy }, []);
  return `somebody lets ${tag} go`;
}

/** Only once the program knows it: what people make of an entry before that nobody could tell from another one. */
function actOnEntry(
  { tools, state }: Stage,
  random: Random,
  act: "editEntry" | "publishEntry" | "removeEntry",
): string {
  const known = state.look<[string], { found: number }>(
    "SELECT 1 AS found FROM tool_calls WHERE purpose = 'changelogCreate' AND state = 'DONE' AND subject = ?",
  );
  const entries = tools.entries.filter(({ isDeleted, tag }) => !isDeleted && known(tag).length > 0);
  if (entries.length === 0) return "nobody finds an entry";
  const entry: Entry = random.pick(entries);
  if (act === "removeEntry") entry.isDeleted = true;
  else if (act === "publishEntry") entry.isPublished = true;
  else entry.text = `${entry.text} Edited.`;
  return `somebody does ${act}: ${entry.tag}`;
}
