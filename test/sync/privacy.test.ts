import { expect, it } from "vitest";
import { addPlanned, openStage, standardProject } from "../support/stage.ts";

const canaries = {
  authorName: "Canary Person",
  authorEmail: "canary@private.example",
  internalNote: "canary-internal-note",
};

it("nothing private reaches GitHub, the log, or a file of the state, whatever goes wrong", async () => {
  const stage = await openStage({ config: { guard: { issues: 3 } }, projects: [standardProject] });
  addPlanned(stage, [canaries, canaries]);
  stage.board.addPost("acme-app", { ...canaries, status: "open", title: "canary-unselected" });
  stage.github.failNext({
    method: "POST",
    path: /\/issues$/,
    applied: true,
    answer: { kind: "answer", status: 502 },
  });
  stage.board.failNext(
    { kind: "answer", status: 422, body: { error: "no" } },
    { when: ({ method }) => method === "PATCH" },
  );
  await stage.sync();
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  stage.github.close("acme/app", 2, "completed");
  await stage.sync();
  stage.board.editPost("acme-app", "p1", { description: "Changed.", internalNote: "canary-internal-note-2" });
  await stage.sync();
  stage.useSecrets({ boardKey: "canary-wrong-key", token: "canary-wrong-token" });
  await stage.sync();
  const requests = JSON.stringify(
    stage.github.requests.map(({ path, query, body }) => ({ path, query, body })),
  );
  const places = { requests, log: stage.log.join(""), state: stage.stateBytes() };
  const secrets = [stage.board.key, stage.github.token, "canary-wrong-key", "canary-wrong-token"];
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, place).toBeGreaterThan(500);
    for (const secret of [...Object.values(canaries), ...secrets]) {
      expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
    }
  }
  expect(requests).not.toContain("canary-unselected");
});
