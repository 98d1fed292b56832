import { readFileSync } from "node:fs";
import { request } from "undici";

/** One piece of work for the floor: where it is, and what is known from the time before. */
export interface FloorJob {
  readonly isImport: boolean;
  readonly board: string;
  readonly boardKey: string;
  readonly project: string;
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
  return { headers: answer.headers, data: JSON.parse((await answer.body.text()) || "[]") };
};
const askBoard = ask.bind(undefined, job.boardKey);
const askGitHub = ask.bind(undefined, job.githubToken);
const list = `${job.repository}/issues?state=all&per_page=100`;

const latest = await askGitHub(`${list}&sort=updated&direction=desc`, job.known.etag);
// Rules look at a label, which may be renamed without any issue showing it.
const labelled = await askGitHub(`${job.repository}/labels?per_page=100`, job.known.labelsEtag);
if (job.isImport) {
  await askGitHub(`${list}&sort=created&direction=desc&creator=${job.githubLogin}`);
  await askGitHub(`${job.repository}/labels`, undefined, "POST", { name: "feedback" });
}
const ids: string[] = [];
for (let cursor = ""; cursor !== null; ) {
  const { data } = await askBoard(`${job.board}/feedback?project=${job.project}&cursor=${cursor}`);
  for (const { id, title, description, url, categoryId } of data.feedback) {
    if (categoryId !== job.category) continue;
    ids.push(id);
    const mark = `<!-- boardsync:v1 board=0123456789abcdef project=${job.project} posts=${id} -->`;
    const body = `${mark}\n${description}\n\n${url}\n\n<!-- boardsync:end -->\n`;
    if (job.isImport)
      await askGitHub(`${job.repository}/issues`, undefined, "POST", { title, body, labels: ["feedback"] });
  }
  cursor = data.nextCursor;
}
const { since } = job.known;
let changed = since === undefined ? [] : latest.data;
if (changed.at(-1)?.updated_at > (since ?? "")) {
  changed = [];
  for (
    let url: string | undefined = `${list}&sort=updated&direction=asc&since=${since}`;
    url !== undefined;
  ) {
    const page = await askGitHub(url);
    changed.push(...page.data);
    url = /<([^>]+)>; rel="next"/.exec(String(page.headers["link"]))?.[1];
  }
}
const queue = changed.values();
const patchRest = async () => {
  for (const { number, state, labels, updated_at } of queue) {
    if (updated_at <= (since ?? "")) continue;
    const isTaken = labels.some(({ name }: { name: string }) => name === job.workLabel);
    const status = state === "closed" ? "completed" : isTaken ? "in_progress" : "planned";
    const set = { status, roadmapColumn: status.toUpperCase() };
    const url = `${job.board}/feedback/${ids[number - 1]}?project=${job.project}`;
    await askBoard(url, undefined, "PATCH", set);
  }
};
await Promise.all([patchRest(), patchRest(), patchRest(), patchRest()]);
const known: FloorKnowledge = {
  etag: String(latest.headers["etag"]),
  labelsEtag: String(labelled.headers["etag"]),
  since: latest.data[0]?.updated_at ?? since,
};
process.stdout.write(JSON.stringify(known));
