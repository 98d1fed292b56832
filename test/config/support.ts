import { join } from "node:path";
import type { Environment } from "../../src/config/environment.ts";
import type { ReadText } from "../../src/config/files.ts";
import { type ConfigSource, loadConfig } from "../../src/config/load.ts";
import type { Config } from "../../src/config/schema.ts";
import { ConfigError } from "../../src/errors.ts";

/** A machine with these files and no others; names are relative to its working directory. */
export function readTextFrom(files: Readonly<Record<string, string | Error>>): ReadText {
  const byPath = new Map(Object.entries(files).map(([name, content]) => [join("/home/me", name), content]));
  return (path) => {
    const content = byPath.get(path) ?? failure("ENOENT");
    if (content instanceof Error) throw content;
    return content;
  };
}

export const cwd = "/home/me";

/** What `node:fs` throws. */
export function failure(code: string): Error {
  return Object.assign(new Error(`${code}: not a word of this is shown`), { code });
}

/** The source of a config that stands in `c.yaml`. */
export function sourceOf(text: string, changes: Partial<ConfigSource> = {}): ConfigSource {
  return { file: "c.yaml", environment: {}, cwd, readText: readTextFrom({ "c.yaml": text }), ...changes };
}

export function load(text: string, environment: Environment = {}): Config {
  return loadConfig(sourceOf(text, { environment })).config;
}

/** Everything that is wrong, one line each; fails when nothing is. */
export function problemsOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (fault) {
    if (fault instanceof ConfigError) return fault.problems;
    throw fault;
  }
  throw new Error("nothing was wrong");
}

/** What is wrong with the config, without the name of the file. */
export function problemsIn(text: string, changes: Partial<ConfigSource> = {}): readonly string[] {
  return problemsOf(() => loadConfig(sourceOf(text, changes))).map((line) => line.replace(/^c\.yaml:/, ""));
}

/** The shortest config that loads, followed by more of the top level. */
export function smallest(more = ""): string {
  return `board: { url: "https://board.example/api/v1" }\nprojects: [{ project: app, repo: acme/app }]\n${more}\n`;
}

/** A config whose one project has more settings; they begin in line 5, column 5. */
export function withProject(more: string): string {
  const lines = more.split("\n").map((line) => `    ${line}`);
  return [
    "board: { url: https://board.example/api/v1 }",
    "projects:",
    "  - project: app",
    "    repo: acme/app",
    ...lines,
    "",
  ].join("\n");
}

/** The example of the interface with every setting. */
export const everything = `
board:
  url: https://feedback.example.com/api/v1/
  timeout: 30s
  retries: 3
  concurrency: 4
  formerUrls: [https://feedback.example.org/api/v1]
  list: { items: data.feedback, total: meta.total }
  paging: { kind: cursor, param: cursor, next: meta.nextCursor, sizeParam: limit, size: 100 }
  fields: { id: uuid, status: state, votes: voteCount, url: publicUrl }
  mcp:
    url: https://feedback.example.com/api/mcp
    tools:
      categories: { name: list_categories, result: id, schema: 0123456789abcdef }
      changelogCreate: { name: create_changelog, args: { title: "{{ entry.title }}", publish: false } }
tracker:
  kind: github
  url: https://api.github.com
  timeout: 20s
  pace: { minIntervalMs: 1000, createsPerMinute: 20, createsPerHour: 150, writesPerHour: 450 }
  trustedAuthors: [old-bot, "our-app[bot]"]
state: data/boardsync.db
lease: 30s
schedule: "*/5 * * * *"
timezone: UTC
settle: 0s
fullEvery: 6h
waits: { create: 15m, patch: 2m }
guard:
  issues: 50
  statuses: 25
  flips: 3
budget: 10m
http: { host: 127.0.0.1, port: 8787, orders: false }
keep: 180d
heartbeat: https://hc.example.com/ping/1
notices: { url: https://hooks.example.com/services/1, kind: teams, digest: weekly }
projects:
  - project: acme-app
    repo: acme/app
    writes: all
    schedule: "*/2 * * * *"
    select:
      statuses: [planned, in_progress]
      categories: [cat_1]
      reviewed: true
      onRoadmap: true
      minVotes: 5
      archived: false
      createdAfter: 2026-01-01
      createdBefore: 2027-01-01
      olderThan: 14d
      maxVotes: 500
      roadmapColumn: PLANNED
      title: [dark mode, theme]
      any: [{ minVotes: 20 }, { not: { statuses: open } }]
      not: { title: test }
    route:
      - { category: cat_api, repo: acme/api }
      - { label: "area: billing", repo: acme/billing }
    issue:
      title: "{{ post.title }}"
      body: "{{ post.description }}"
      labels: [feedback]
      categoryLabels: { cat_1: "area: billing" }
      voteLabels: { 10: "votes: 10+", 50: "votes: 50+" }
      assignees: []
      milestone: "Backlog"
      type: Feature
      postUrl: "https://feedback.example.com/p/{{ post.id }}"
    content: { title: once, description: follow }
    rules:
      - when: { state: closed, reason: completed }
        set:  { status: completed, roadmapColumn: COMPLETED }
      - when: { state: closed, reason: [not_planned, duplicate] }
        set:  { status: closed, onRoadmap: false }
      - when: { state: open, labels: [in progress] }
        set:  { status: in_progress, roadmapColumn: IN_PROGRESS, onRoadmap: true }
      - when: { anyLabel: beta, noLabel: [wip, blocked], assigned: true, milestoneState: open, type: Bug }
        set:  { roadmapOrder: 1.5, isReviewed: true, isArchived: false, categoryId: null }
      - when: { milestone: any }
        set:  { status: planned, roadmapColumn: PLANNED, onRoadmap: true, roadmapPublic: true }
    whenNoRule: restore
    conflict: { status: hold, labels: board, default: pause }
    several: all
    followDuplicates: false
    backlink: false
`;
