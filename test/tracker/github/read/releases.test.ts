import { describe, expect, it } from "vitest";
import { startSandbox, unbounded } from "../setup.ts";

describe("the releases of a repository", () => {
  it("are those that were published, newest first, and are asked for conditionally", async () => {
    const { github, tracker, clock } = await startSandbox();
    const repository = await tracker.repository("acme/app", unbounded());
    const list = async (etag?: string) => tracker.releases(repository, etag, unbounded());
    github.publishRelease("acme/app", { tag: "v1", name: "One", body: "The first." });
    clock.pass(1_000);
    github.publishRelease("acme/app", { tag: "v2", isDraft: true });
    github.publishRelease("acme/app", { tag: "v2-rc", isPrerelease: true });
    const first = await list();
    expect(first).toMatchObject({
      kind: "listed",
      rows: [
        { tag: "v2-rc", name: "v2-rc", body: "", isPrerelease: true },
        { tag: "v1", name: "One", body: "The first.", isPrerelease: false },
      ],
    });
    const etag = first.kind === "listed" ? first.etag : undefined;
    expect(await list(etag)).toEqual({ kind: "unchanged" });
    github.editRelease("acme/app", "v2", { isDraft: false, name: "Two" });
    github.deleteRelease("acme/app", "v1");
    expect(await list(etag)).toMatchObject({ rows: [{ tag: "v2-rc" }, { tag: "v2", name: "Two" }] });
  });
});
