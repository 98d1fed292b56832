import { describe, expect, it } from "vitest";
import {
  type ChangelogFacts,
  decideEntries,
  type KnownCall,
  publishAt,
  publishEveryMs,
} from "../../../src/plan/changelog/decide.ts";
import { findEntry, ownEntry, printEntry } from "../../../src/plan/changelog/look.ts";
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
  }).map(({ kind, tag }) => [kind, tag]);
const made = { tag: "v1", print: printRelease(release) };
const known = { ...made, release: release.id };
const before = { noted: ["v1"], notedIds: [release.id], unripe: [release.id] };
const renamed = { ...release, tag: "v1.0" };
const edited = [{ ...release, body: "new" }];

describe("the changelog", () => {
  it.each<[string, Partial<ChangelogFacts>, unknown]>([
    ["a new release", {}, [["create", "v1"]]],
    ["one from before", { noted: ["v1"], entries: [made], releases: edited, calls: [call("DONE")] }, []],
    ["one from before whose tag was changed", { noted: ["v0"], notedIds: [release.id] }, []],
    ["a pre-release from before", { ...before, releases: [{ ...release, isPrerelease: true }] }, []],
    ["a pre-release from before that has become a release", before, [["create", "v1"]]],
    ["one whose tag was changed", { calls: [call("DONE")], entries: [known], releases: [renamed] }, []],
    [
      "one whose tag and text were changed",
      { calls: [call("DONE")], entries: [known], releases: [{ ...renamed, body: "new" }] },
      [["update", "v1"]],
    ],
    [
      "another one that has got its tag since",
      { calls: [call("DONE")], entries: [known], releases: [renamed, { ...release, id: 7 }] },
      [["create", "v1-7"]],
    ],
    [
      "one that was deleted and made anew",
      { calls: [call("DONE")], entries: [known], releases: [{ ...release, id: 7, body: "new" }] },
      [["update", "v1"]],
    ],
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
  const entries = [
    { id: "e1", title: "Spring", text: "One" },
    { id: "e2", title: " Spring\u200B  ", text: "Two" },
    { id: "e3" },
  ];
  const [e1, e2] = entries;
  const one = printEntry({ title: "Spring", text: "One" });
  const find = (title: string, prints: readonly string[], taken: readonly string[] = []) =>
    findEntry(entries, title, prints, new Set(taken));

  it("tells an entry by its title and its text, among those that are no other release's", () => {
    expect(find("Spring", [one])).toEqual({ kind: "found", entry: e1 });
    expect(find("Spring", [one], ["e1"])).toEqual({ kind: "alike", entries: [e2] });
    expect(find("Spring", ["another"])).toEqual({ kind: "alike", entries: [e1, e2] });
    expect(find("Spring", entries.map(printEntry))).toEqual({ kind: "alike", entries: [e1, e2] });
    expect(find("spring", [one])).toEqual({ kind: "none" });
  });

  it("tells by the title alone only what was not there before", () => {
    const only = { kind: "alike", entries: [{ id: "e2" }] } as const;
    expect(ownEntry({ kind: "found", entry: { id: "e1" } }, undefined)).toEqual({ id: "e1" });
    expect(ownEntry(only, [])).toEqual({ id: "e2" });
    expect(ownEntry(only, undefined)).toBeUndefined();
    expect(ownEntry({ kind: "alike", entries }, [])).toBeUndefined();
    expect(ownEntry({ kind: "none" }, [])).toBeUndefined();
  });

  it("shows whether people have edited one, whatever a board makes of spaces", () => {
    expect(printEntry({ title: "a", text: "b\n\nc " })).toBe(printEntry({ title: " a", text: "b c\u200B" }));
    expect(printEntry({})).toBe(printEntry({ title: "", text: " " }));
  });
});
