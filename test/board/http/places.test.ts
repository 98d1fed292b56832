import { expect, it } from "vitest";
import type { Board, PagePlace, PostPage } from "../../../src/board/board.ts";
import { bounds, givenBoard, project, records, serveAnswers } from "./given.ts";

/** What a listing reads first, beginning with a page of an earlier one. */
async function firstOf(board: Board, from?: PagePlace): Promise<PostPage | undefined> {
  for await (const page of board.listPosts(project, bounds(), { hasNotes: false, from })) return page;
  return undefined;
}

it("a page that was kept is asked for where the list is the same, and nowhere once the config names another", async () => {
  const answer = { body: { feedback: records(2), nextCursor: "c1" } };
  const [one, other] = [await serveAnswers([answer, answer, answer]), await serveAnswers([answer])];
  const place = (await firstOf(givenBoard(one.url)))?.next;
  await firstOf(givenBoard(one.url), place);
  expect(one.asked.map(({ url }) => url.includes("cursor=c1"))).toEqual([false, true]);
  await firstOf(givenBoard(other.url), place);
  expect(one.asked).toHaveLength(2);
  expect(other.asked.map(({ url }) => url.includes("cursor=c1"))).toEqual([false]);
});

it.each(["{", "5", "null", "[]", "{}", '{"first":5}'])(
  "a page that was kept as %s, which nobody has written, is none: the list begins anew",
  async (kept) => {
    const { url, asked } = await serveAnswers([{ body: { feedback: records(2), nextCursor: "c1" } }]);
    expect((await firstOf(givenBoard(url), kept as PagePlace))?.posts).toHaveLength(2);
    expect(asked.map((request) => request.url.includes("cursor"))).toEqual([false]);
  },
);

it.each(["paging", "before", "way"])(
  "so does one whose `%s` is odd, though its address is right",
  async (part) => {
    const answer = { body: { feedback: records(2), nextCursor: "c1" } };
    const { url, asked } = await serveAnswers([answer, answer]);
    const kept = JSON.parse((await firstOf(givenBoard(url)))?.next ?? "");
    await firstOf(givenBoard(url), JSON.stringify({ ...kept, [part]: 5 }) as PagePlace);
    expect(asked.map((request) => request.url.includes("cursor"))).toEqual([false, false]);
  },
);
