import type { Stage } from "./stage.ts";

/** A record as the board lists it. */
export type Shown = Record<string, unknown>;

/** Whether a request asks for a list of posts. */
export function isList({ path, method }: { readonly path: string; readonly method: string }): boolean {
  return path === "/feedback" && method === "GET";
}

/** What the board lists of acme-app now. */
export async function listNow({ board }: Stage): Promise<{ readonly feedback: readonly Shown[] }> {
  const address = `${board.url}/feedback?project=prj_app`;
  return (await fetch(address, { headers: { authorization: `Bearer ${board.key}` } })).json() as never;
}

/** The next lists show this. */
export function listNext({ board }: Stage, body: unknown, times = 1): void {
  board.failNext({ kind: "answer", status: 200, body }, { times, when: isList });
}

/** The next lists show the posts of now, changed. */
export async function relist(
  stage: Stage,
  change: (posts: readonly Shown[]) => readonly Shown[],
  times = 1,
): Promise<void> {
  const { feedback } = await listNow(stage);
  listNext(stage, { feedback: change(feedback) }, times);
}
