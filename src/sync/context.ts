import type { PlanContext } from "../plan/plan.ts";
import { rulesPrint, settingsPrint } from "../plan/print.ts";
import { createRenderer } from "../plan/render.ts";
import type { Cycle, PulledCycle } from "./cycle-state.ts";
import type { BoardPull } from "./pull-board.ts";

/** Makes a cycle ready for decisions, and every row due when the settings or the time for a full look ask for it. */
export function planContext(cycle: Cycle, pull: BoardPull): PulledCycle {
  markRowsForFullLook(cycle);
  const renderer = createRenderer(cycle.project.templates, { webHosts: cycle.world.policy.webHosts });
  const { boardHash } = cycle.world.policy;
  const render: PlanContext["render"] = (post) =>
    renderer.render(post, { board: boardHash, project: cycle.memory.id, posts: [post.id] });
  return {
    ...cycle,
    seen: pull.seen,
    hold: pull.hold,
    context: (now) => ({ settings: cycle.settings, seen: pull.seen, render, now }),
  };
}

function markRowsForFullLook(cycle: Cycle): void {
  const { ledger, clock, policy } = cycle.world;
  const memory = ledger.memory.project(cycle.project.key) ?? cycle.memory;
  const now = clock.now();
  const print = settingsPrint(cycle.settings, cycle.project.templates);
  const isFresh = memory.fullAt !== undefined && now - memory.fullAt < policy.fullEveryMs;
  if (isFresh && memory.settingsPrint === print) return;
  ledger.transaction(() => {
    ledger.rows.markDue(memory.id, "all");
    ledger.memory.rememberProject({
      ...memory,
      settingsPrint: print,
      rulesPrint: rulesPrint(cycle.settings),
      fullAt: isFresh ? memory.fullAt : now,
    });
  });
}
