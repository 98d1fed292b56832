import { RemoteError } from "../errors.ts";
import { TemplateError } from "../plan/text/template.ts";
import { decideEntries } from "./decide/entries.ts";
import type { PulledCycle } from "./ground/cycle-state.ts";
import { createAskEntries, type EntryWork } from "./ground/entries.ts";
import { noteLimitOf } from "./ground/lane.ts";
import { isPreview, takesAsItIs } from "./ground/order.ts";
import { closureBy, isPutOff, noteError } from "./ground/report.ts";
import { resolveEntries } from "./past/resolve-entries.ts";
import { pullReleases } from "./read/releases.ts";
import { writeEntries } from "./write/entries.ts";

/**
 * The changelog of one project, once: read its releases → look up what is in doubt → decide → write. It stands beside the posts:
 * whatever fails in it is said, and stops nothing else.
 *
 * @returns what is asked for, for a plan.
 */
export async function keepChangelog(cycle: PulledCycle): Promise<readonly EntryWork[]> {
  try {
    const look = await pullReleases(cycle);
    if (cycle.settings.changelog === undefined || takesAsItIs(cycle.run)) return [];
    const ask = createAskEntries(cycle);
    await resolveEntries(cycle, ask);
    const works = await decideEntries(cycle, look);
    if (!isPreview(cycle.run)) await writeEntries(cycle, works, look, ask);
    return works;
  } catch (error) {
    await note(cycle, error);
    return [];
  }
}

async function note(cycle: PulledCycle, error: unknown): Promise<void> {
  const { tally, world, run } = cycle;
  if (error instanceof TemplateError) {
    const message = `No entry is made of a release, since a template fails: ${error.message}.`;
    noteError(tally, { code: "config.template", message });
    return;
  }
  if (!(error instanceof RemoteError)) throw error;
  await noteLimitOf(world, error);
  if (isPutOff(error)) tally.putOff.push(closureBy(error, run));
  else noteError(tally, error);
}
