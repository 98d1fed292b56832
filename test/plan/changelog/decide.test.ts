import { describe, expect, it } from "vitest";
import {
  type ChangelogFacts,
  decideEntries,
  type KnownCall,
  publishAt,
  publishEveryMs,
} from "../../../src/plan/changelog/decide.ts";
import { findEntry, plainEntry } from "../../../src/plan/changelog/look.ts";
import { printRelease } from "../../../src/plan/changelog/releases.ts";
import { createRelease } from "./make.ts";

const release = createRelease("v1");
const call = (state: KnownCall["state"], purpose: KnownCall["purpose"] = "changelogCreate"): KnownCall => ({
  purpose,
  subject: "v1",
  state,
});
const decide = (facts: Partial<ChangelogFacts>) =>
  decideEntries({
    ...{
      wanted: { releases: "v*", prereleases: false },
      releases: [release],
      noted: [],
      entries: [],
      calls: [],
    },
    ...facts,
  }).map((wish) => [wish.kind, wish.kind === "gone" ? wish.tag : wish.release.tag]);
const made = { tag: "v1", print: printRelease(release) };
const edited = [{ ...release, body: "new" }];

describe("the changelog", () => {
  it.each<[string, Partial<ChangelogFacts>, unknown]>([
    ["a new release", {}, [["create", "v1"]]],
    ["one from before", { noted: ["v1"], entries: [made], releases: edited, calls: [call("DONE")] }, []],
    ["one of another kind", { releases: [createRelease("w1")] }, []],
    ["one that was prepared", { calls: [call("PREPARED")] }, [["create", "v1"]]],
    ["one that was refused", { calls: [call("REJECTED")] }, [["create", "v1"]]],
    ["one in doubt", { calls: [call("UNKNOWN")] }, []],
    ["one under way", { calls: [call("SENT")] }, []],
    ["one that has its draft", { calls: [call("DONE")], entries: [made] }, []],
    ["an edited one", { calls: [call("DONE")], entries: [made], releases: edited }, [["update", "v1"]]],
    ["an edited one of which nothing is remembered", { calls: [call("DONE")], releases: edited }, []],
    ...(["SENT", "UNKNOWN"] as const).map((state): [string, Partial<ChangelogFacts>, unknown] => [
      `an edited one whose update is ${state}`,
      { calls: [call("DONE"), call(state, "changelogUpdate")], entries: [made], releases: edited },
      [],
    ]),
    ...(["SENT", "UNKNOWN", "DONE"] as const).map((state): [string, Partial<ChangelogFacts>, unknown] => [
      `an edited one that may be published: ${state}`,
      { calls: [call("DONE"), call(state, "changelogPublish")], entries: [made], releases: edited },
      [],
    ]),
    [
      "an edited one that was not published after all",
      { calls: [call("DONE"), call("REJECTED", "changelogPublish")], entries: [made], releases: edited },
      [["update", "v1"]],
    ],
    ["a deleted one", { calls: [call("DONE")], entries: [made], releases: [] }, [["gone", "v1"]]],
    ["a deleted one without a draft", { calls: [call("UNKNOWN")], entries: [made], releases: [] }, []],
    [
      "a deleted one that is published",
      { calls: [call("DONE"), call("DONE", "changelogPublish")], entries: [made], releases: [] },
      [],
    ],
  ])("asks of %s", (_, facts, expected) => {
    expect(decide(facts)).toEqual(expected);
  });

  it("begins with the oldest", () => {
    const later = createRelease("v3", { id: 3, publishedAt: "2026-02-04T10:00:00Z" });
    const releases = [later, createRelease("v2", { id: 2 }), release];
    expect(decide({ releases })).toEqual([
      ["create", "v1"],
      ["create", "v2"],
      ["create", "v3"],
    ]);
  });

  it("lets one entry a day go, and another one where people say so twice", () => {
    const now = 10 * publishEveryMs;
    expect(publishAt(undefined, 1, now)).toBeUndefined();
    expect(publishAt(now - 1, 1, now)).toBe(now - 1 + publishEveryMs);
    expect(publishAt(now - 1, 2, now)).toBeUndefined();
    expect(publishAt(now - publishEveryMs, 1, now)).toBeUndefined();
  });
});

describe("a list of entries", () => {
  const entries = [{ id: "e1", title: "Spring" }, { id: "e2", title: " Spring\u200B  " }, { id: "e3" }];

  it("tells an entry by its title, among those that are no other release's", () => {
    expect(findEntry(entries, "Spring", new Set())).toEqual({ kind: "several" });
    expect(findEntry(entries, "Spring", new Set(["e2"]))).toEqual({ kind: "found", entry: entries[0] });
    expect(findEntry(entries, "spring", new Set())).toEqual({ kind: "none" });
  });

  it("shows whether people have edited one, whatever a board makes of spaces", () => {
    expect(plainEntry({ title: "a", text: "b\n\nc " })).toBe(plainEntry({ title: " a", text: "b c\u200B" }));
    expect(plainEntry({})).toBe("\n");
  });
});
