import { isStuck } from "../../ledger/journal.ts";
import { nameEntry } from "../ground/entries.ts";
import { already, type Foresight, type NamedProject, type Nothing, type Sight } from "./foresight.ts";

/** Tries once more what the board has refused of an entry, or what nobody can find out. */
export async function foreseeRetryEntry(
  { ledger, pending }: Sight,
  { key, project }: NamedProject,
  tag: string,
): Promise<Foresight | Nothing> {
  const stuck = (await ledger.toolCalls.unsettled(project)).filter(
    (call) => call.subject === tag && isStuck(call),
  );
  if (stuck.length === 0) return { nothing: `${key} has nothing of ${nameEntry(tag)} to try again.` };
  const isAsked = pending?.some((request) => request.kind === "retry-entry" && request.tag === tag);
  if (isAsked === true) return { nothing: already };
  const effects = stuck.map(({ purpose, state }) => {
    if (state === "REJECTED") return "what the board refused is tried again";
    if (purpose === "changelogPublish")
      return "it counts as not published: it is published when it is approved again";
    return "the draft counts as not made, and is made once more: if the board shows it, delete one";
  });
  const [first = already, ...others] = effects;
  return {
    effects: [first, ...others],
    notified: "Nobody is mailed.",
    asks: (agreed) => [{ kind: "add-request", request: { ...agreed, project, kind: "retry-entry", tag } }],
  };
}
