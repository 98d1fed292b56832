import { expect, it } from "vitest";
import { addPlanned, openStage, type Stage, standardProject } from "../support/stage.ts";

type Rec = Record<string, unknown>;

async function listNow({ board }: Stage): Promise<{ readonly feedback: Rec[] }> {
  const address = `${board.url}/feedback?project=prj_app`;
  return (await fetch(address, { headers: { authorization: `Bearer ${board.key}` } })).json() as never;
}

it.each([
  ["an object", { html: "<p>Call Ada before Friday</p>" }],
  ["a list", ["Call Ada before Friday"]],
  ["a list of records", [{ id: "n1", author: "bob", text: "Call Ada before Friday" }]],
  [
    "rich text",
    { type: "doc", content: [{ type: "paragraph", content: [{ type: "text", text: "Call Ada" }] }] },
  ],
  ["a number", 4711],
])("a note that is %s is not written over", async (_, internalNote) => {
  const stage = await openStage({ projects: [{ ...standardProject, backlink: true }] });
  addPlanned(stage, [
    { title: "Export", internalNote: "Call Ada before Friday" },
    { title: "Import", internalNote: "plain" },
  ]);
  const { feedback } = await listNow(stage);
  const [first, second] = feedback;
  const when = ({ path, method }: { path: string; method: string }) =>
    path === "/feedback" && method === "GET";
  stage.board.failNext(
    { kind: "answer", status: 200, body: { feedback: [{ ...first, internalNote }, second] } },
    { times: 99, when },
  );
  for (let run = 0; run < 4; run += 1) await stage.sync();
  expect(stage.board.post("acme-app", "p1")?.internalNote).toContain("Call Ada before Friday");
});
