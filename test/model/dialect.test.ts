import { expect, it } from "vitest";
import { webSiteOf } from "../../src/model/dialect.ts";

it.each([
  ["https://api.github.com", "https://github.com"],
  ["https://github.example.com/api/v3", "https://github.example.com"],
  ["https://api.acme.ghe.com", "https://acme.ghe.com"],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
])("the pages of %s are at %s", (url, site) => {
  expect(webSiteOf(url)).toBe(site);
});
