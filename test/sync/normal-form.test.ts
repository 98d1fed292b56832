import { expect, it } from "vitest";
import { addPlanned, hourMs, openStage, standardProject } from "../support/stage.ts";

const composed = "gepr\u00fcft";
const decomposed = "gepru\u0308ft";

/** The same word, written down in two ways that nobody can tell apart. */
it("a status in another normal form is the same status: nobody is notified of it", async () => {
  const rules = [{ when: { labels: ["in progress"] }, set: { status: composed } }];
  const stage = await openStage({ projects: [{ ...standardProject, rules }] });
  addPlanned(stage, 2);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  // People were quicker on the board.
  stage.board.editPost("acme-app", "p1", { status: decomposed });
  await stage.sync();
  stage.clock.skip(hourMs);
  stage.mark();
  stage.github.label("acme/app", 1, "in progress");
  await stage.sync();
  await stage.sync();
  expect(stage.patches().map(({ body }) => body)).toEqual([]);
});

it("a status is sent as posts spell it, in their normal form, too", async () => {
  const rules = [{ when: { labels: ["in progress"] }, set: { status: composed } }];
  const stage = await openStage({ projects: [{ ...standardProject, rules }] });
  addPlanned(stage, [{}, { status: decomposed }]);
  await stage.sync();
  stage.clock.skip(hourMs);
  await stage.sync();
  stage.github.label("acme/app", 1, "in progress");
  await stage.sync();
  expect(stage.board.post("acme-app", "p1")?.status).toBe(decomposed);
});
