import { readFileSync } from "node:fs";
import { request } from "undici";

/** One piece of work for the floor: where it is, and what is known from the time before. */
export interface FloorJob {
  /** What the run finds; only in an import posts become issues. */
  readonly scenario: "import" | "idle" | "changed" | "adoption" | "rebuild";
  readonly board: string;
  readonly boardKey: string;
  readonly projects: readonly string[];
  readonly category: string;
  /** The repository's address in the API. */
  readonly repository: string;
  readonly githubToken: string;
  readonly githubLogin: string;
  readonly workLabel: string;
  readonly known: FloorKnowledge;
}

/** What one run of the floor leaves to the next. */
export interface FloorKnowledge {
  readonly etag?: string;
  readonly labelsEtag?: string;
  readonly since?: string;
  /** Pages of a board that sends validators, by their address. */
  readonly pages?: Readonly<Record<string, FloorPage>>;
}

/** What must be remembered of a page, to do without it while it stays as it is. */
interface FloorPage {
  readonly etag: string;
  readonly ids: readonly string[];
  readonly next: string | null;
}

// The floor: the same pages, parsed, and the same writes. No state, no safety, no look at what an answer says.
const job: FloorJob = JSON.parse(readFileSync(process.argv[1] ?? "", "utf8"));
const ask = async (token: string, url: string, etag?: string, method = "GET", body?: object) => {
  const authorization = { authorization: `Bearer ${token}`, "user-agent": "floor" };
  const headers = {
    ...authorization,
    ...(body && { "content-type": "application/json" }),
    ...(etag && { "if-none-match": etag }),
  };
  const sent = body === undefined ? null : JSON.stringify(body);
  const answer = await request(url, { method, headers, body: sent });
  const data = JSON.parse((await answer.body.text()) || "[]");
  return { status: answer.statusCode, headers: answer.headers, data };
};
const askBoard = ask.bind(undefined, job.boardKey);
const askGitHub = ask.bind(undefined, job.githubToken);
const list = `${job.repository}/issues?state=all&per_page=100`;
const follow = async function* (from: string) {
  for (let url: string | undefined = from; url !== undefined; ) {
    const { headers, data } = await askGitHub(url);
    yield* data;
    url = /<([^>]+)>; rel="next"/.exec(String(headers["link"]))?.[1];
  }
};

const latest = await askGitHub(`${list}&sort=updated&direction=desc`, job.known.etag);
// Rules look at a label, which may be renamed without any issue showing it.
const labelled = await askGitHub(`${job.repository}/labels?per_page=100`, job.known.labelsEtag);
const numbers = new Map<string, number>();
if (job.known.etag === undefined) {
  // A rebuild also looks for marks in what others have opened.
  const author = job.scenario === "rebuild" ? "" : `&creator=${job.githubLogin}`;
  for await (const { number, body } of follow(`${list}&sort=created&direction=desc${author}`))
    numbers.set(/ posts=(\S+) -->/.exec(body)?.[1] ?? "", number);
}
if (job.scenario === "import")
  await askGitHub(`${job.repository}/labels`, undefined, "POST", { name: "feedback" });
const posts: string[] = [];
const pages: Record<string, FloorPage> = {};
for (const project of job.projects) {
  for (let cursor: string | null = ""; cursor !== null; ) {
    const url: string = `${job.board}/feedback?project=${project}&cursor=${cursor}`;
    const before: FloorPage | undefined = job.known.pages?.[url];
    const { status, headers, data } = await askBoard(url, before?.etag);
    const ids: string[] = [];
    for (const { id, title, description, url, categoryId } of data.feedback ?? []) {
      if (categoryId !== job.category) continue;
      ids.push(id);
      const mark = `<!-- boardsync:v1 board=0123456789abcdef project=${project} posts=${id} -->`;
      const body = `${mark}\n${description}\n\n${url}\n\n<!-- boardsync:end -->\n`;
      if (job.scenario === "import" && !numbers.has(id))
        await askGitHub(`${job.repository}/issues`, undefined, "POST", { title, body, labels: ["feedback"] });
    }
    const page: FloorPage = status === 304 && before ? before : { etag: "", ids, next: data.nextCursor };
    if (headers["etag"]) pages[url] = { ...page, etag: String(headers["etag"]) };
    posts.push(...page.ids.map((id) => `${id}?project=${project}`));
    cursor = page.next;
  }
}
const { since } = job.known;
let changed = since === undefined ? [] : latest.data;
if (changed.at(-1)?.updated_at > (since ?? "")) {
  changed = [];
  for await (const issue of follow(`${list}&sort=updated&direction=asc&since=${since}`)) changed.push(issue);
}
const queue = changed.values();
const patchRest = async () => {
  for (const { number, state, labels, updated_at } of queue) {
    if (updated_at <= (since ?? "")) continue;
    const isTaken = labels.some(({ name }: { name: string }) => name === job.workLabel);
    const status = state === "closed" ? "completed" : isTaken ? "in_progress" : "planned";
    const set = { status, roadmapColumn: status.toUpperCase() };
    await askBoard(`${job.board}/feedback/${posts[number - 1]}`, undefined, "PATCH", set);
  }
};
await Promise.all([patchRest(), patchRest(), patchRest(), patchRest()]);
const known: FloorKnowledge = {
  etag: String(latest.headers["etag"]),
  labelsEtag: String(labelled.headers["etag"]),
  since: latest.data[0]?.updated_at ?? since,
  pages,
};
process.stdout.write(JSON.stringify(known));
