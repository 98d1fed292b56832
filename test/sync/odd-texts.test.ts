import { expect, it } from "vitest";
import { addPlanned, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";

type Rec = Record<string, unknown>;

async function relist(stage: Stage, change: (posts: Rec[]) => readonly Rec[]): Promise<void> {
  const { board } = stage;
  const address = `${board.url}/feedback?project=prj_app`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${board.key}` } });
  const { feedback } = (await answer.json()) as { feedback: Rec[] };
  const when = ({ path, method }: { path: string; method: string }) =>
    path === "/feedback" && method === "GET";
  board.failNext({ kind: "answer", status: 200, body: { feedback: change(feedback) } }, { times: 99, when });
}

it.each([
  ["description", { type: "doc", content: [{ type: "text", text: "Both of them." }] }],
  ["title", { en: "Export", de: "Ausfuhr" }],
])("a %s that can't be read is no empty one: the issue keeps its text", async (field, value) => {
  const stage = await openStage();
  addPlanned(stage, [
    { title: "Export", description: "Both of them." },
    { title: "Import", description: "And back." },
  ]);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  const before = stage.github.issues("acme/app").map(({ title, body }) => [title, body]);
  await relist(stage, ([first, second]) => [
    { ...first, [field]: value, updatedAt: "2026-03-09T10:00:00Z" },
    second as Rec,
  ]);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(stage.github.issues("acme/app").map(({ title, body }) => [title, body])).toEqual(before);
});

it.each([
  ["a readable one (as it is to be)", "completed"],
  ["a list", ["completed"]],
  ["one in two languages", { en: "Completed", de: "Erledigt" }],
])("a status that can't be read is none that may be written over: %s", async (_, status) => {
  const rules = [
    { when: { state: "closed" }, set: { status: "completed" } },
    { when: { state: "open" }, set: { status: "planned" } },
  ];
  const stage = await openStage({ projects: [{ ...standardProject, select: { archived: false }, rules }] });
  stage.board.addPost("acme-app", { title: "Export", status: "completed", votes: 40 });
  stage.board.addPost("acme-app", { title: "Import", status: "planned" });
  await relist(stage, ([first, second]) => [{ ...first, status }, second as Rec]);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(stage.board.notifications).toEqual([]);
});
