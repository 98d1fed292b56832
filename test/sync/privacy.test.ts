import { describe, expect, it } from "vitest";
import { privateRepositories, twoProjects } from "../support/setups.ts";
import { addPlanned, openStage, type Stage, standardProject } from "../support/stage.ts";

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

describe("e-mail addresses and telephone numbers in the text of a post", () => {
  const text = { title: "Ask ada@example.com", description: "Or call 030/1234567." };
  const hidden = { title: "Ask [e-mail]", description: "Or call [phone number]." };

  async function issueOf(isPrivate: boolean, redact?: readonly string[]): Promise<string> {
    const issue = { labels: ["feedback"], ...(redact && { redact }) };
    const stage = await openStage({
      repositories: [{ name: "acme/app", private: isPrivate, labels: ["feedback"] }],
      projects: [{ ...standardProject, issue }],
    });
    addPlanned(stage, [text]);
    await stage.sync();
    const { title, body } = stage.github.issue("acme/app", 1);
    return `${title}: ${body}`;
  }

  it("are unreadable in a public repository, and stand in a private one", async () => {
    const open = await issueOf(false);
    expect(open).toContain(hidden.title);
    expect(open).toContain(hidden.description);
    const closed = await issueOf(true);
    expect(closed).toContain("Or call 030/1234567.");
  });

  it("are what the config says, whoever can read the repository", async () => {
    expect(await issueOf(true, ["phone"])).toContain(hidden.description);
    expect(await issueOf(false, [])).toContain("Or call 030/1234567.");
  });

  it("go from an issue that is there when the repository is not private any more", async () => {
    const stage = await openStage({ config: { fullEvery: "1h" } });
    addPlanned(stage, [text]);
    await stage.sync();
    stage.github.setPrivate("acme/app", false);
    stage.clock.skip(2 * 3_600_000);
    await stage.sync();
    await stage.sync();
    expect(stage.github.issue("acme/app", 1).body).toContain(hidden.description);
  });

  it.each<[string, (stage: Stage) => void]>([
    [
      "the config opens issues in a private one by now",
      (stage) => stage.reconfigure({ projects: [{ ...standardProject, repo: "acme/private" }] }),
    ],
    [
      "its post has moved to a project with a private one",
      (stage) => {
        stage.board.removePost("acme-app", "p1");
        stage.board.restorePost("acme-api", "p1");
      },
    ],
  ])("stay unreadable in an issue of a public repository where %s", async (_, change) => {
    const stage = await openStage({
      repositories: [{ name: "acme/app", labels: ["feedback"] }, ...privateRepositories("acme/private")],
      boardProjects: twoProjects,
      projects: [standardProject, { ...standardProject, project: "acme-api", repo: "acme/private" }],
    });
    addPlanned(stage, [text, {}]);
    addPlanned(stage, 1, "acme-api");
    await stage.sync();
    change(stage);
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(stage.github.issue("acme/app", 1).body).toContain(hidden.description);
  });

  it("go into no text that is written as the repository turns public, nor stay in the others until the next full look", async () => {
    const stage = await openStage({ projects: [{ ...standardProject, content: "follow" }] });
    addPlanned(stage, [text, text]);
    await stage.sync();
    await stage.sync();
    stage.mark();
    stage.github.setPrivate("acme/app", false);
    stage.board.editPost("acme-app", "p1", { description: "Or call 030/7654321." });
    await stage.sync();
    const bodies = () => stage.github.requests.map(({ body }) => JSON.stringify(body)).join();
    expect(bodies()).not.toContain("7654321");
    await stage.sync();
    for (const number of [1, 2])
      expect(stage.github.issue("acme/app", number).body).toContain(hidden.description);
    expect(bodies()).not.toContain("7654321");
  });
});
