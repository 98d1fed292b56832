import { describe, expect, it } from "vitest";
import type { AlikePost, PostId } from "../../../src/model/post.ts";
import { findAlike, findStanding, issuesNamed, newcomers } from "../../../src/plan/imports/alike.ts";

const at = Date.parse("2026-01-01T12:00:00Z");
const address = "https://github.com/acme/app/issues/12";
const asked = { title: "CSV export", addresses: ["https://github.com/acme/old/issues/12", address], at };

const post = (facts: Partial<AlikePost> = {}): AlikePost => ({
  ...{
    post: "p1" as PostId,
    title: "Another",
    text: "",
    createdAt: undefined,
    listedSince: at + 1,
    isTaken: false,
    ...facts,
  },
});

describe("the post that was asked for", () => {
  it.each<[string, AlikePost]>([
    ["names the issue", post({ text: `So.\n\n${address}` })],
    ["names it in HTML", post({ text: `<p><a href="${address.toUpperCase()}">it</a></p>` })],
    ["names it in its title", post({ title: address })],
    ["names it as it was called before", post({ text: "https://github.com/acme/old/issues/12" })],
    ["was made since, by the board's own time", post({ text: address, createdAt: "2026-01-01T11:59:00Z" })],
    ["shows a time that can't be read", post({ text: address, createdAt: "yesterday" })],
  ])("is found where it %s", (_, one) => {
    expect(findAlike([post(), one], asked)).toEqual({ kind: "found", post: one });
  });

  it.each<[string, AlikePost]>([
    ["names another issue", post({ text: `${address}3` })],
    ["was listed before", post({ text: address, listedSince: at - 200_000 })],
    ["was made before, and is called so", post({ title: asked.title, createdAt: "2025-12-31" })],
    ["is called so and has an issue", post({ title: asked.title, isTaken: true })],
  ])("is none that %s", (_, one) => {
    expect(findAlike([one], asked)).toEqual({ kind: "none" });
  });

  it.each<[string, readonly AlikePost[]]>([
    ["one is called so", [post({ title: " csv EXPORT " })]],
    [
      "one names it, and was made before by the board's clock",
      [post({ text: address, createdAt: "2025-12-31" })],
    ],
    ["two name the issue", [post({ text: address }), post({ text: address })]],
    ["one that has an issue names it", [post({ text: address, isTaken: true })]],
    [
      "of two that name it one has an issue",
      [post({ text: address }), post({ text: address, isTaken: true })],
    ],
  ])("is in doubt where %s", (_, posts) => {
    expect(findAlike(posts, asked)).toEqual({ kind: "doubt", posts });
  });
});

it("may be any post that has come since and is nobody's, whatever it is called", () => {
  const fresh = [post(), post({ listedSince: at }), post({ createdAt: "2026-01-01T11:59:00Z" })];
  const others = [
    post({ isTaken: true }),
    post({ listedSince: at - 1 }),
    post({ listedSince: at + 11 }),
    post({ createdAt: "2026-01-01T11:57:00Z" }),
  ];
  expect(newcomers([...fresh, ...others], { at, restMs: 900_000 }, at + 10)).toEqual(fresh);
  const late = {
    ...fresh[0],
    createdAt: new Date(at + 24 * 3_600_000).toISOString(),
  } as (typeof fresh)[number];
  expect(newcomers([late], { at, restMs: 900_000 })).toEqual([]);
  expect(newcomers(others, { at, restMs: 900_000 })).toEqual([others[2]]);
});

describe("a post that stands for an issue already", () => {
  it("names it, or else is called so", () => {
    const [named, called] = [post({ text: address }), post({ title: "csv export" })];
    expect(findStanding([called, named], asked)).toBe(named);
    expect(findStanding([post(), called], asked)).toBe(called);
    expect(findStanding([post()], asked)).toBeUndefined();
  });
});

it("tells which issues of a repository a post names", () => {
  const pages = "https://github.com/Acme/App/issues/";
  const text =
    "https://github.com/acme/app/issues/12, https://github.com/acme/app/issues/new and https://github.com/acme/app/issues/3";
  expect(issuesNamed({ title: "", text }, pages)).toEqual([12, 3]);
});
