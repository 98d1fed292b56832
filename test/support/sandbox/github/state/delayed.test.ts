import { beforeEach, describe, expect, it } from "vitest";
import { usualQuirks } from "../rest/answer.ts";
import { route } from "../rest/routes.ts";
import { createPeople } from "./people.ts";
import { createOwners } from "./repositories.ts";
import { createState, delayed, isListed } from "./state.ts";

/** A GitHub without a server, as the simulation has it. */
function createGitHub() {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const state = createState(clock, { listMs: 0, readMs: 0 });
  state.url = "https://github.example.com";
  const owners = createOwners(state, "bot");
  for (const name of ["acme/app", "acme/api"]) owners.addRepository({ name });
  const get = (path: string, quirks = usualQuirks): unknown[] => {
    const query = new URLSearchParams("state=all");
    const request = { method: "GET", path: `/repos/acme/${path}`, query, text: "", account: "bot" };
    const { body } = route(state, quirks, request);
    return Array.isArray(body) ? body.map((row) => row.title ?? row.body) : [];
  };
  return { clock, state, people: createPeople(state), get };
}

describe("a change of which lists are told later", () => {
  let github: ReturnType<typeof createGitHub>;
  beforeEach(() => {
    github = createGitHub();
    github.people.openIssue("acme/app", { title: "first" });
  });

  it("is shown by its own page at once, and by a list once the time has passed", () => {
    const { clock, state, people, get } = github;
    delayed(state, 5_000, () => people.edit("acme/app", 1, { title: "second" }));
    expect(people.issue("acme/app", 1).title).toBe("second");
    expect(get("app/issues")).toEqual(["first"]);
    const repository = [...state.repositories.values()][0];
    expect(repository && isListed(state, repository, 1)).toBe(false);
    clock.ms += 5_000;
    expect(get("app/issues")).toEqual(["second"]);
    expect(repository && isListed(state, repository, 1)).toBe(true);
  });

  it("comes to light with the change after it, whose own time is over", () => {
    const { state, people, get } = github;
    delayed(state, 5_000, () => people.comment("acme/app", 1, "late"));
    expect(get("app/issues/1/comments")).toEqual([]);
    people.edit("acme/app", 1, { title: "second" });
    expect(get("app/issues")).toEqual(["second"]);
    expect(get("app/issues/1/comments")).toEqual(["late"]);
  });

  it("leaves the lists at once where it takes the issue away", () => {
    const { clock, state, people, get } = github;
    delayed(state, 5_000, () => people.transfer("acme/app", 1, "acme/api"));
    expect([get("app/issues"), get("api/issues")]).toEqual([[], []]);
    clock.ms += 5_000;
    expect(get("api/issues")).toEqual(["first"]);
    delayed(state, 5_000, () => people.deleteIssue("acme/api", 1));
    expect(get("api/issues")).toEqual([]);
  });

  it("delays nothing that happens after it, also where it fails", () => {
    const { state, people, get } = github;
    expect(() => delayed(state, 5_000, () => people.reopen("acme/app", 9))).toThrow("no issue");
    people.openIssue("acme/app", { title: "second" });
    expect(get("app/issues")).toEqual(["second", "first"]);
  });
});

it("a page holds no more rows than the sandbox is said to give", () => {
  const { people, get } = createGitHub();
  for (const title of ["first", "second"]) people.openIssue("acme/app", { title });
  expect(get("app/issues", { ...usualQuirks, pageSize: 1 })).toEqual(["second"]);
});
