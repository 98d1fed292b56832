import { describe, expect, it } from "vitest";
import { addWaits, code, openPage, type PageStage } from "../support/page-stage.ts";

/** A page behind a balancer: each request goes to the other one of two processes on one state. */
async function openTwo(token?: string) {
  const stage = await openPage({ orders: true, after: addWaits, ...(token !== undefined && { token }) });
  const processes = [stage.address, await stage.beside()];
  let turn = 0;
  const next = (): string => processes[turn++ % 2] ?? "";
  const who = token === undefined ? { cookie: stage.cookie } : { authorization: `Bearer ${token}` };
  return {
    stage,
    next,
    get: (path: string) => fetch(new URL(path, `${next()}/`), { headers: who, redirect: "manual" }),
    post(fields: Readonly<Record<string, string>>, at = next()) {
      const headers = { ...who, origin: at, "sec-fetch-site": "same-origin" };
      const body = new URLSearchParams(fields);
      return fetch(`${at}/orders`, { method: "POST", headers, body, redirect: "manual" });
    },
  };
}

async function pending({ ledger }: PageStage) {
  return ledger.requests.pending(ledger.memory.project("acme-app")?.id ?? ("" as never));
}

describe("two processes on one state, behind one address,", () => {
  it.each([
    ["a cookie", undefined],
    ["the token", "page-token-0123456789"],
  ])("take each other's forms and questions, and tell what was done, of whoever has %s", async (_, token) => {
    const { stage, next, get, post } = await openTwo(token);
    for (const button of ["Approve", "Retry", "Release"]) {
      for (const shift of [0, 1]) {
        if (shift === 1) next();
        const page = await (await get("/")).text();
        const question = await post(stage.form(page, `${button}…`));
        expect([button, question.status]).toEqual([button, 200]);
        if (shift === 0) continue;
        const done = await post(stage.form(await question.text(), button));
        expect([button, done.status]).toEqual([button, 303]);
        const told = await (await get(done.headers.get("location") ?? "")).text();
        expect(told).toContain('role="status"');
      }
    }
    expect((await pending(stage)).map(({ kind }) => kind)).toEqual(["approve", "retry", "release"]);
  });

  it("take a form once, whichever of them comes first, also at the same moment", async () => {
    const { stage, get, post } = await openTwo();
    const page = await (await get("/")).text();
    const form = stage.form(await (await post(stage.form(page, "Retry…"))).text(), "Retry");
    const answers = await Promise.all([post(form), post(form), post(form), post(form)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409, 409, 409]);
    expect(await pending(stage)).toHaveLength(1);
    expect((await post(form)).status).toBe(409);
  });

  it("keep a form good over a restart, and no longer than a quarter of an hour", async () => {
    const { stage, get, post } = await openTwo();
    const ask = async () =>
      stage.form(await (await post(stage.form(await (await get("/")).text(), "Retry…"))).text(), "Retry");
    const late = await ask();
    const ahead = await ask();
    stage.clock.now += 15 * 60_000;
    expect((await post(late)).status).toBe(409);
    // Handed out by a clock that was ahead.
    stage.clock.now -= 31 * 60_000;
    expect((await post(ahead)).status).toBe(409);
    stage.clock.now += 16 * 60_000;
    const restarted = await stage.beside();
    expect((await post(ahead, restarted)).status).toBe(303);
  });

  it("know whom the other one has let in, at once", async () => {
    const stage = await openPage({ isShut: true });
    const opened = await fetch(`${stage.address}/?code=${code}`, { redirect: "manual" });
    const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
    const other = await stage.beside();
    expect((await fetch(`${other}/`, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(`${other}/`)).status).toBe(403);
  });
});
