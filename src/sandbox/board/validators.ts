import { hash } from "node:crypto";
import type { ListAnswer } from "./list.ts";
import type { BoardStyle, SandboxPost } from "./style.ts";

/** What the sandbox's lists are asked for conditionally by, and its answers to who does. */

interface Asked {
  readonly headers: Readonly<Record<string, string>>;
  readonly now: number;
}

/** A page with its validator, or 304 where the caller named that. */
export function answerConditionally(
  page: ListAnswer,
  posts: readonly SandboxPost[],
  { validators }: BoardStyle,
  { headers, now }: Asked,
): { readonly status: number } & Partial<ListAnswer> {
  if (validators === "none") return { status: 200, ...page };
  if (validators === "last-modified") {
    const modified = new Date(posts.map(({ updatedAt }) => updatedAt).reduce(latest, "1970-01-01"));
    const shown = { "last-modified": modified.toUTCString(), date: new Date(now).toUTCString() };
    if (headers["if-modified-since"] === shown["last-modified"]) return { status: 304, headers: shown };
    return { status: 200, body: page.body, headers: { ...page.headers, ...shown } };
  }
  const etag = tagOf(page, posts, validators);
  const known = headers["if-none-match"]?.replace(/^W\//, "");
  if (known === etag.replace(/^W\//, "")) return { status: 304, headers: { etag } };
  return { status: 200, body: page.body, headers: { ...page.headers, etag } };
}

function tagOf(
  page: ListAnswer,
  posts: readonly SandboxPost[],
  validators: "etag" | "weak-etag" | "list-etag" | "stuck-etag",
): string {
  const print = (shown: unknown): string => `"${hash("sha256", JSON.stringify(shown), "hex")}"`;
  switch (validators) {
    case "etag":
      return print(page);
    case "weak-etag":
      return `W/${print(page)}`;
    case "list-etag":
      return print(posts);
    case "stuck-etag":
      return '"1"';
  }
}

function latest(one: string, other: string): string {
  return one > other ? one : other;
}
