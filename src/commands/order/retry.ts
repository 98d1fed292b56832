import { type Beside, besideRuns, findPost, type NamedPost } from "../open/beside.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";

/** `boardsync retry POST`: what is parked of a post may be tried again, by the next run. */
export function retry(terminal: Terminal, options: CommonOptions, text: string): Promise<number> {
  return askFor(terminal, options, "retry", text, async ({ ledger, now }, { project, post }) => {
    const row = await ledger.rows.row(project, post, now);
    const parked = row?.parked.map(({ message }) => message) ?? [];
    const reasons = row?.unlinkedAt === undefined ? parked : [...parked, "a person wanted no issue for it"];
    return reasons.length === 0 ? undefined : reasons.join("; ");
  });
}

/** `boardsync release POST`: ends a post's quarantine, by the next run. */
export function release(terminal: Terminal, options: CommonOptions, text: string): Promise<number> {
  return askFor(terminal, options, "release", text, async ({ ledger, now }, { project, post }) => {
    return (await ledger.rows.row(project, post, now))?.isQuarantined === true
      ? "the post flapped too often"
      : undefined;
  });
}

const nothing = {
  retry: "Nothing of this post is parked, so nothing is tried again.",
  release: "This post is not quarantined.",
} as const;
const effect = {
  retry: "the next run tries it again; if it is a change of status, its voters are mailed",
  release: "its quarantine ends with the next run",
} as const;

function askFor(
  terminal: Terminal,
  options: CommonOptions,
  kind: "retry" | "release",
  text: string,
  whatWaits: (beside: Beside, post: NamedPost) => Promise<string | undefined>,
): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const found = await findPost(beside, text);
    const { key, project, post } = found;
    const waits = await whatWaits(beside, found);
    if (waits !== undefined) {
      await beside.ledger.commit([
        { kind: "add-request", request: { kind, posts: [post], project, at: beside.now } },
      ]);
    }
    if (options.json === true) {
      printJson(terminal.out, { project: key, post, requested: waits !== undefined, waits: waits ?? null });
    } else if (options.quiet !== true) {
      const sentence = waits === undefined ? nothing[kind] : `${waits} → ${effect[kind]}.`;
      printLine(terminal.out, `${key}/${post}: `, sentence);
    }
    return exitCodes.ok;
  });
}
