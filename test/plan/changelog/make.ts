import type { Release } from "../../../src/model/release.ts";

/** A release that nothing is special about. */
export function createRelease(tag: string, facts: Partial<Release> = {}): Release {
  return {
    id: 1,
    tag,
    name: tag,
    body: "",
    url: `https://github.com/acme/app/releases/tag/${tag}`,
    isPrerelease: false,
    publishedAt: "2026-02-03T10:00:00Z",
    ...facts,
  };
}
