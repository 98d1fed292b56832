import { expect, it } from "vitest";
import { createGraphQL } from "../graphql/graphql.ts";
import { usualQuirks } from "../rest/answer.ts";
import { createPeople } from "./people.ts";
import { createProjects } from "./projects.ts";
import { createOwners } from "./repositories.ts";
import { createSignalPeople } from "./signals.ts";
import { createState } from "./state.ts";

const query = `query($id: ID!) { node(id: $id) { ... on Issue {
  closedByPullRequestsReferences(first: 9) { nodes { number } }
  subIssues(first: 9) { nodes { number } }
  projectItems(first: 9) { nodes { fieldValueByName(name: "Status") {
    ... on ProjectV2ItemFieldSingleSelectValue { name }
  } } }
  timelineItems(last: 9, itemTypes: [MARKED_AS_DUPLICATE_EVENT]) { nodes {
    ... on MarkedAsDuplicateEvent { canonical { ... on Issue { number } } }
  } }
} } }`;

it("an issue that is transferred keeps what its record does not show", () => {
  const state = createState({ now: () => 1_000_000 }, { listMs: 0, readMs: 0 });
  const people = { ...createPeople(state), ...createSignalPeople(state), ...createProjects(state) };
  for (const name of ["acme/app", "acme/api"]) createOwners(state, "bot").addRepository({ name });
  for (const title of ["one", "part", "other"]) people.openIssue("acme/app", { title });
  people.openPullRequest("acme/app", { title: "work" });
  people.addProject({ owner: "acme", number: 1 }, { Status: ["Todo"] });
  const at = (number: number) => ({ repository: "acme/app", number });
  people.linkPullRequest(at(1), at(4));
  people.addSubIssue(at(1), at(2));
  people.addToProject({ owner: "acme", number: 1 }, at(1));
  people.setProjectStatus({ owner: "acme", number: 1 }, at(1), "Todo");
  people.closeAsDuplicate(at(1), at(3));

  const { id } = people.transfer("acme/app", 1, "acme/api");
  const answer = createGraphQL(state, usualQuirks)(JSON.stringify({ query, variables: { id: `I_${id}` } }));
  expect(answer.body).toEqual({
    data: {
      node: {
        closedByPullRequestsReferences: { nodes: [{ number: 4 }] },
        subIssues: { nodes: [{ number: 2 }] },
        projectItems: { nodes: [{ fieldValueByName: { name: "Todo" } }] },
        timelineItems: { nodes: [{ canonical: { number: 3 } }] },
      },
    },
  });
});
