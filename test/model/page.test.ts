import { expect, it } from "vitest";
import { type PagingWay, showWay } from "../../src/model/page.ts";

it.each<[string, PagingWay, string]>([
  ["numbered pages", { kind: "page", param: "page" }, "paging: { kind: page, param: page }"],
  [
    "pages that begin with 0",
    { kind: "page", param: "p", first: 0 },
    "paging: { kind: page, param: p, first: 0 }",
  ],
  [
    "the id of the last post",
    { kind: "cursor", param: "after", next: "lastId" },
    "paging: { kind: cursor, param: after, next: lastId }",
  ],
  [
    "larger pages only",
    { kind: "none", param: "limit" },
    "paging: { kind: none, sizeParam: limit, size: 1000 }",
  ],
])("a list that goes on by %s is shown as its line of the config", (_, way, line) => {
  expect(showWay(way)).toBe(line);
});
