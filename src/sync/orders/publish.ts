import { isStuck, type ToolCall } from "../../ledger/journal.ts";
import type { EntryMemory } from "../../ledger/memory.ts";
import { mayBePublished, publishEveryMs } from "../../plan/changelog/decide.ts";
import { lastText, nameEntry } from "../ground/entries.ts";
import { already, type Foresight, type NamedProject, type Nothing, type Sight } from "./foresight.ts";

/** The tag of an entry of the changelog, as a person names it: `changelog:TAG`; undefined for everything else. */
export function tagOf(word: string): string | undefined {
  return /^changelog:(.*)$/s.exec(word)?.[1];
}

/** What becomes of an entry of the changelog that a person lets go. */
export interface PublishForesight extends Foresight {
  /** Whether it is only made, as a draft: the guard holds it. */
  readonly isDraft: boolean;
  readonly tag: string;
  readonly title: string;
  readonly posts: number;
  /** Its page on the board; undefined where the board told none. */
  readonly url: string | undefined;
}

/** Lets a draft of the changelog go, as it is now: the next run publishes it, or makes it where the guard holds it. */
export async function foreseePublish(
  { ledger, now, pending }: Sight,
  { key, project }: NamedProject,
  tag: string,
): Promise<PublishForesight | Nothing> {
  const calls = await ledger.toolCalls.list(project);
  const draft = lastText(calls, tag);
  const known = ledger.memory.project(key)?.changelog?.entries.find((entry) => entry.tag === tag);
  if (draft === undefined && known?.held !== undefined) return foreseeDraft(ledger, project, known);
  if (draft === undefined) return { nothing: `${key} has no draft of ${nameEntry(tag)}.`, isUnknown: true };
  const published = calls.find(({ purpose, subject }) => purpose === "changelogPublish" && subject === tag);
  if (published?.state === "DONE") return { nothing: `${nameEntry(tag)} is published already.` };
  if (mayBePublished(published?.state))
    return { nothing: `${nameEntry(tag)} may be published already: it is looked up.` };
  const asked = (await ledger.requests.pending(project)).some(
    (request) => request.kind === "publish" && request.tag === tag && request.hash === draft.hash,
  );
  const other = lastPublished(calls, tag, now);
  if (asked && (other === undefined || pending !== undefined)) return { nothing: already };
  const { hash, url } = draft;
  const { title = tag, posts = 0 } = known ?? {};
  const effect = `"${title}" is published as it is on the board. Nobody can take that back.`;
  return {
    tag,
    title,
    posts,
    url,
    isDraft: false,
    effects: other === undefined ? [effect] : [effect, sayOther(other, asked)],
    notified: "An unknown number of subscribers may be mailed.",
    asks(agreed) {
      const request = { ...agreed, project, kind: "publish", tag, hash } as const;
      return [{ kind: "add-request", request: { ...request, ...(asked && { isSecond: true }) } }];
    },
  };
}

async function foreseeDraft(
  ledger: Sight["ledger"],
  project: NamedProject["project"],
  { tag, print, title, posts }: EntryMemory,
): Promise<PublishForesight | Nothing> {
  const isAsked = (await ledger.requests.pending(project)).some(
    (request) => request.kind === "draft-entry" && request.tag === tag && request.print === print,
  );
  if (isAsked) return { nothing: already };
  return {
    tag,
    title,
    posts,
    url: undefined,
    isDraft: true,
    effects: [`the draft "${title}" is made, and not published`],
    notified: "Nobody is mailed.",
    asks: (agreed) => [
      { kind: "add-request", request: { ...agreed, project, kind: "draft-entry", tag, print } },
    ],
  };
}

function lastPublished(calls: readonly ToolCall[], tag: string, now: number): ToolCall | undefined {
  return calls
    .filter(({ purpose, subject, state, sentAt = 0 }) => {
      const isOther = purpose === "changelogPublish" && subject !== tag;
      return isOther && mayBePublished(state) && now - sentAt < publishEveryMs;
    })
    .toSorted((one, other) => (other.sentAt ?? 0) - (one.sentAt ?? 0))[0];
}

function sayOther({ subject, sentAt = 0 }: ToolCall, isSecond: boolean): string {
  const published = `${subject} was published at ${new Date(sentAt).toISOString()}`;
  if (isSecond) return `It goes at once, although ${published}.`;
  const at = new Date(sentAt + publishEveryMs).toISOString();
  return `${published}, so this one follows at ${at}; approve it once more, and it goes at once.`;
}

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
