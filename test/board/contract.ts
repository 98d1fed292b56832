import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Board, PostPage } from "../../src/board/board.ts";
import { RemoteError } from "../../src/errors.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";

/** A board that an adapter is tried on: one project with 130 posts, of which the first is called "First post". */
export interface ContractSubject {
  readonly board: Board;
  /** The same board, asked with a key that it doesn't accept. */
  readonly stranger: Board;
  readonly project: ProjectId;
  readonly firstPost: PostId;
  /** How often voters were notified so far. */
  mails(): number;
  close(): Promise<void>;
}

const bounds = { until: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };

/** What every adapter of the board keeps, whatever is behind it. */
export function describeBoardContract(name: string, start: () => Promise<ContractSubject>): void {
  describe(`${name} keeps the contract of a board`, () => {
    let subject: ContractSubject;
    beforeEach(async () => {
      subject = await start();
    });
    afterEach(() => subject.close());

    async function readPages(project = subject.project): Promise<PostPage[]> {
      const pages: PostPage[] = [];
      for await (const page of subject.board.listPosts(project, bounds)) pages.push(page);
      return pages;
    }

    it("accepts its key, and a stranger's is refused as unauthorized", async () => {
      await expect(subject.board.verifyKey(bounds)).resolves.toBeUndefined();
      await expect(subject.stranger.verifyKey(bounds)).rejects.toMatchObject({ fault: "unauthorized" });
    });

    it("lists the project by its id", async () => {
      const projects = await subject.board.listProjects(bounds);
      expect(projects.map((project) => project.id)).toContain(subject.project);
    });

    it("shows every post once, and an end on the last page only", async () => {
      const pages = await readPages();
      const ids = pages.flatMap((page) => page.posts.map((post) => post.id));
      expect(new Set(ids).size).toBe(130);
      expect(ids).toHaveLength(130);
      expect(pages.map((page) => page.end?.kind)).toEqual([
        ...pages.slice(1).map(() => undefined),
        "complete",
      ]);
    });

    it("changes just the fields it is given", async () => {
      const before = (await readPages())
        .flatMap((page) => page.posts)
        .find(({ id }) => id === subject.firstPost);
      const outcome = await subject.board.patchPost(subject.project, subject.firstPost, { onRoadmap: true });
      const after = (await readPages())
        .flatMap((page) => page.posts)
        .find(({ id }) => id === subject.firstPost);
      expect(outcome.kind).toBe("applied");
      expect({ ...after?.values, updatedAt: "" }).toEqual({
        ...before?.values,
        onRoadmap: true,
        updatedAt: "",
      });
      expect(subject.mails()).toBe(0);
    });

    it("has voters notified once by a change of status", async () => {
      await subject.board.patchPost(subject.project, subject.firstPost, { status: "planned" });
      expect(subject.mails()).toBe(1);
    });

    it("tells a post that is not there from a refusal", async () => {
      const nobody = "no-such-post" as PostId;
      const outcome = await subject.board.patchPost(subject.project, nobody, { onRoadmap: true });
      expect(outcome.kind).toBe("missing");
    });

    it("fails a listing of a project that is not there", async () => {
      const error = await readPages("no-such-project" as ProjectId).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(RemoteError);
      expect(error).toMatchObject({ side: "board", fault: "missing" });
    });

    it("counts its requests", async () => {
      await subject.board.verifyKey(bounds);
      const before = subject.board.requests;
      await subject.board.patchPost(subject.project, subject.firstPost, { onRoadmap: true });
      expect(before).toBeGreaterThan(0);
      expect(subject.board.requests).toBe(before + 1);
    });
  });
}
