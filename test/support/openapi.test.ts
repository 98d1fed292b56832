import { describe, expect, it } from "vitest";
import { createOpenApiValidator, validateRequests } from "./openapi.ts";

const validator = createOpenApiValidator();
const issues = "/repos/acme/app/issues";

function ask(method: string, path: string, query: Record<string, string> = {}, body?: unknown) {
  return { method, path, query, body };
}

describe("requests", () => {
  it.each([
    ask("GET", "/user"),
    ask("GET", "/repositories/7"),
    ask("GET", "/repositories/7/issues", { state: "all", per_page: "100", page: "2", after: "Y3Vyc29y" }),
    ask("GET", issues, { since: "2026-01-05T10:00:00Z", sort: "updated", direction: "asc" }),
    ask("POST", issues, {}, { title: "t", milestone: 1, labels: ["bug"], type: null }),
    ask("PATCH", `${issues}/1`, {}, { state: "closed", state_reason: null, milestone: null }),
    ask("POST", `${issues}/1/labels`, {}, { labels: ["bug"] }),
    ask("DELETE", `${issues}/1/labels/area%3A%20billing`),
    ask("GET", `${issues}/comments`, { sort: "updated" }),
  ])("agree: $method $path $query $body", (request) => {
    expect(validateRequests([request])).toEqual([]);
  });

  it.each([
    [ask("GET", "/repos/acme/app/problems"), "is not in the description"],
    [ask("DELETE", `${issues}/1`), "is not in the description"],
    [ask("GET", `${issues}/one`), "issue_number: must be integer"],
    [ask("GET", issues, { order: "asc" }), 'the query\'s "order" is not in the description'],
    [ask("GET", issues, { state: "done" }), "state: must be equal to one of the allowed values"],
    [ask("GET", issues, { since: "yesterday" }), 'since: must match format "date-time"'],
    [ask("GET", issues, { per_page: "101" }), "per_page must be from 1 to 100"],
    [ask("GET", "/user", { after: "x" }), 'the query\'s "after" is not in the description'],
    [ask("GET", "/search/issues"), 'the query lacks "q"'],
    [ask("GET", issues, {}, {}), "takes no body"],
    [ask("POST", issues), "needs a body"],
    [ask("POST", issues, {}, {}), "body: must have required property 'title'"],
    [ask("POST", issues, {}, { title: "t", labels: [1] }), "body/labels/0: must be string"],
    [
      ask("POST", issues, {}, { title: "t", asignees: [] }),
      'the body\'s "asignees" is not in the description',
    ],
    [ask("PATCH", `${issues}/1`, {}, { state_reason: "wontfix" }), "body/state_reason: must be equal"],
  ])("disagree: %j %s", (request, problem) => {
    expect(validateRequests([ask("GET", "/user"), request]).join("\n")).toContain(problem);
  });
});

describe("answers", () => {
  const label = { id: 1, node_id: "L", url: "http://a/b", name: "bug", color: "ededed", default: false };

  it.each([
    [ask("POST", "/repos/acme/app/labels"), 201, { ...label, description: null }],
    [ask("POST", "/repos/acme/app/labels"), 401, { message: "Bad credentials" }],
    [ask("GET", "/repos/acme/app/assignees/ada"), 204, undefined],
    [ask("GET", issues), 304, undefined],
  ])("agree: %j %i", (request, status, body) => {
    expect(validator.checkAnswer(request, status, body)).toEqual([]);
  });

  it.each([
    [ask("GET", "/problems"), 200, {}, "is not in the description"],
    [ask("POST", issues), 200, {}, "→ 200 is not documented"],
    [ask("POST", "/repos/acme/app/labels"), 201, label, "must have required property 'description'"],
    [ask("POST", issues), 422, { message: "x" }, "must have required property 'documentation_url'"],
    [ask("POST", issues), 401, { message: 1 }, "/message: must be string"],
    [ask("GET", "/repos/acme/app/assignees/ada"), 204, {}, "has a body"],
    [ask("GET", issues), 304, {}, "has a body"],
    [ask("GET", issues), 200, [{ id: "1" }], "/0/id: must be integer"],
  ])("disagree: %j %i %j", (request, status, body, problem) => {
    expect(validator.checkAnswer(request, status, body).join("\n")).toContain(problem);
  });
});
