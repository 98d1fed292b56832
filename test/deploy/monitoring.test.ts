import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { createMetrics } from "../../src/daemon/metrics.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite.ts";
import { read } from "./files.ts";
import { folder } from "./sample.ts";

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly w: number };
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

/** A state that is gone after the test. */
function openState(): Ledger {
  const place = mkdtempSync(join(tmpdir(), "boardsync-metrics-"));
  const ledger = openLedger(join(place, "state.db"), { now: 0, version: "1" });
  onTestFinished(() => {
    ledger.close();
    rmSync(place, { recursive: true, force: true });
  });
  return ledger;
}

/** Every metric that the daemon has, those that a histogram is made of included. */
async function listMetrics(): Promise<readonly string[]> {
  const text = await createMetrics(openState(), "1").render([]);
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
}

function namesIn(text: string): readonly string[] {
  return [...new Set(text.match(/\b(?:boardsync|process|nodejs)_[a-z_]+\b/g))];
}

const rules: readonly AlertRule[] = parse(read(`${folder}alerts.yaml`)).groups[0].rules;
const dashboard: Dashboard = JSON.parse(read(`${folder}grafana.json`));

describe("the alert rules", () => {
  it("look only at metrics that there are", async () => {
    const known = await listMetrics();
    const used = rules.flatMap(({ expr }) => namesIn(expr));
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((name) => !known.includes(name))).toEqual([]);
  });

  it("wake nobody in a pause of a schedule: what is late is what /readyz says is late", async () => {
    const late = rules.find(({ alert }) => alert === "BoardsyncLate");
    expect(late?.expr).toContain("boardsync_late == 1");
    expect(late?.expr).not.toContain("period");
    const ledger = openState();
    const text = await createMetrics(ledger, "1").render([
      { key: "a", periodMs: 300_000, now: 0 },
      { key: "b", periodMs: 300_000, now: 0, late: "it is to run every 300 s" },
    ]);
    expect(text.match(/^boardsync_late\{.*$/gm)).toEqual([
      'boardsync_late{project="a"} 0',
      'boardsync_late{project="b"} 1',
    ]);
  });

  it("each say how urgent they are, what is wrong, and what to do", () => {
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Boardsync[A-Za-z]+$/);
      expect(["page", "ticket"]).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(annotations.description.length).toBeGreaterThan(10);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});

it("metrics tell which replica runs a project by a number, and name neither host nor process", async () => {
  const ledger = openState();
  const replicas = ["daemon, process 1 on box", "daemon, process 2 on box"].map((who, at) => {
    return { who, at, projects: [`p${at}`] };
  });
  const runs = { ...ledger.runs, replicas: () => Promise.resolve(replicas) };
  const text = await createMetrics({ ...ledger, runs }, "1").render([]);
  expect(text.match(/^boardsync_running\{.*$/gm)).toEqual([
    'boardsync_running{project="p0",replica="1"} 1',
    'boardsync_running{project="p1",replica="2"} 1',
  ]);
  expect(text).not.toContain("on box");
});

describe("the dashboard", () => {
  it("shows only metrics that there are", async () => {
    const known = await listMetrics();
    const used = namesIn(JSON.stringify(dashboard));
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((name) => !known.includes(name))).toEqual([]);
  });

  it("has panels that have numbers of their own, a title and a place in the grid", () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { title, gridPos, targets } of dashboard.panels) {
      expect(title).not.toBe("");
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      expect(targets.every(({ expr }) => expr !== "")).toBe(true);
    }
  });
});

it("the page of metrics lists every metric of ours, and none that there is not", async () => {
  const known = (await listMetrics()).filter((name) => name.startsWith("boardsync_"));
  const listed = namesIn(read("config/docs/reference/metrics.md")).filter((name) =>
    name.startsWith("boardsync_"),
  );
  expect(listed.filter((name) => !known.includes(name))).toEqual([]);
  const whole = known.filter((name) => !/_(bucket|sum|count)$/.test(name));
  expect(whole.filter((name) => !listed.includes(name))).toEqual([]);
});
