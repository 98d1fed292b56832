import type { Foresight, Nothing } from "../../sync/orders/foresight.ts";
import { tagOf } from "../../sync/orders/publish.ts";
import { type ToldTimes, tellTimes } from "../../sync/tell/times.ts";
import { beginSentence } from "../../sync/tell/words.ts";
import type { BesideCall } from "../open/beside.ts";
import { isAgreed } from "../print/agree.ts";
import { type CommonOptions, exitCodes } from "../print/terminal.ts";
import { oneLine, printJson, printLine } from "../print/text.ts";

/** What an order tells as JSON, of a post or of all that it is about. */
export interface OrderDocument {
  readonly project: string | null;
  readonly post?: string;
  readonly [field: string]: unknown;
}

/** Tells what came of an order, as a sentence or as JSON. */
export function tell(call: BesideCall, document: OrderDocument, message: string): number {
  const { out } = call.terminal;
  const { json, quiet } = call.options;
  const { project, post } = document;
  const place = [project, post].filter((part) => part != null).join("/");
  const said = timesOf(call).tell(message);
  if (json === true) printJson(out, document);
  else if (quiet !== true) printLine(out, place && `${place}: `, place === "" ? beginSentence(said) : said);
  return exitCodes.ok;
}

/** Asks for what is foreseen, without a question, and tells what comes of it. */
export async function request(
  call: BesideCall,
  seen: Foresight | Nothing,
  about: OrderDocument,
): Promise<number> {
  const requested = !("nothing" in seen);
  if (requested) await call.ledger.commit(seen.asks({ at: call.now }));
  const message = requested ? seen.effects.join(" ") : seen.nothing;
  return tell(call, { ...about, requested, message }, message);
}

/** @param isOne - a person named a single post: scripts find its fields beside those of the order. */
export function documentOf(
  posts: readonly OrderDocument[],
  isOne: boolean,
  project: string | null = null,
): OrderDocument {
  const [only] = posts;
  return isOne && only !== undefined ? only : { project, posts };
}

/** Shows what an order will do, unless that is said already, and asks whether it is to be done; then it is asked for. */
export async function isOrdered(
  call: BesideCall<CommonOptions & { readonly yes?: boolean }>,
  seen: Foresight,
  question: string,
  lines: readonly string[] = seen.effects.slice(1),
): Promise<boolean> {
  show(call, lines);
  if (!(await isAgreed(call.terminal, call.options, question))) return false;
  await call.ledger.commit(seen.asks({ at: call.now }));
  return true;
}

/** What an order will do, or what waits. */
export function show(call: BesideCall, lines: readonly string[]): void {
  const { json, quiet } = call.options;
  if (json === true || quiet === true) return;
  const times = timesOf(call);
  for (const line of lines) printLine(call.terminal.out, "  ", oneLine(times.tell(line)));
}

/** Times as the person at the terminal reads them. */
export function timesOf({ now, config }: BesideCall): ToldTimes {
  return tellTimes(now, config.timezone);
}

/** `PROJECT changelog:TAG`: an entry of a project's changelog; undefined where a person names something else. */
export function entryNamed(
  words: readonly string[],
): { readonly key: string; readonly tag: string } | undefined {
  const [key = "", entry = "", ...more] = words;
  const tag = tagOf(entry);
  return tag === undefined || more.length > 0 ? undefined : { key, tag };
}
