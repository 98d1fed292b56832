import { join } from "node:path";
import { text } from "node:stream/consumers";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../../src/commands/open/clock.ts";
import { minuteMs } from "../../../src/model/time.ts";
import { listenHttp } from "../../support/servers.ts";
import { until } from "../../support/until.ts";
import { startDaemon } from "../daemon-stage.ts";
import { deadUrl, openStage, type Stage } from "../stage.ts";

interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Someone who listens: for heartbeats at `/beat`, for notices at `/notice`. */
async function listen() {
  const heard: Heard[] = [];
  let status = 200;
  const origin = await listenHttp((request, response) => {
    const { method = "", url = "", headers } = request;
    void text(request).then((body) => {
      heard.push({ method, url, headers, body });
      if (status === 0) request.socket.destroy();
      else if (status === 1) response.writeHead(200).write("never the whole of it");
      else if (status > 0) response.writeHead(status, { location: "/elsewhere" }).end("ok");
    });
  });
  return {
    url: origin,
    at: (path: string) => heard.filter(({ url }) => url.startsWith(path)),
    /** 0 cuts the connection, -1 leaves it open, and 1 answers 200 with a body that does not end. */
    answerWith(next: number) {
      status = next;
    },
  };
}

type Listener = Awaited<ReturnType<typeof listen>>;

function announcing(stage: Stage, { url }: Listener, change = (config: string) => config): string {
  return stage.writeConfig("announcing.yaml", (config) =>
    change(`${config}heartbeat: ${url}/beat/s3cret-beat\nnotices: { url: ${url}/notice/s3cret-hook }\n`),
  );
}

describe("the heartbeat", () => {
  it("is called once after a run without failures, and with nothing in it", async () => {
    const [stage, listener] = [await openStage(), await listen()];
    expect((await stage.run(["sync", "-c", announcing(stage, listener)])).code).toBe(0);
    expect(listener.at("/")).toEqual([
      {
        method: "GET",
        url: "/beat/s3cret-beat",
        headers: expect.objectContaining({ "user-agent": "boardsync/1.2.3" }),
        body: "",
      },
    ]);
    expect(Object.keys(listener.at("/beat")[0]?.headers ?? {})).not.toContain("authorization");
  });

  it("is taken by its status, whatever else the answer is", async () => {
    const [stage, listener] = [await openStage(), await listen()];
    listener.answerWith(1);
    const { code, err } = await stage.run(["sync", "-c", announcing(stage, listener)]);
    expect(code).toBe(0);
    expect(err).not.toContain("not taken");
  });

  it("says of a proxy that did not let it through which one it is", async () => {
    const [stage, listener] = [await openStage(), await listen()];
    const file = announcing(stage, listener);
    const { board, github } = stage.story;
    const none = `${new URL(board.url).host},${new URL(github.url).host}`;
    const env = { HTTP_PROXY: "http://me:hunter2@127.0.0.1:9", NO_PROXY: none };
    const ran = await stage.run(["sync", "-c", file], { env });
    expect(ran.code).toBe(0);
    expect(ran.err).toContain("The heartbeat was not taken");
    expect(ran.err).toContain("the proxy http://127.0.0.1:9 of HTTP_PROXY refused the connection");
    expect(ran.err).not.toMatch(/hunter2|s3cret/);
  });

  it("is not called after a run with a failure, nor while another project has failed last", async () => {
    const [stage, listener] = [await openStage(), await listen()];
    const file = announcing(stage, listener, (config) => config.replace("repo: acme/api", "repo: acme/none"));
    expect((await stage.run(["sync", "-c", file])).code).toBe(1);
    expect((await stage.run(["sync", "-c", file, "--project", "acme-app"])).code).toBe(0);
    expect(listener.at("/beat")).toEqual([]);
    const mended = announcing(stage, listener);
    await stage.run(["sync", "-c", mended]);
    expect(listener.at("/beat")).toHaveLength(1);
  });

  it("is not called by a daemon while another project's last run ended with an error, which no run of the state tells", async () => {
    const [stage, listener] = [await openStage(), await listen()];
    const file = announcing(stage, listener);
    const daemon = startDaemon(stage, ["-c", file]);
    await daemon.ranAll();
    await until(() => listener.at("/beat").length === 2);
    const database = new Database(join(stage.folder, "state.db"));
    onTestFinished(() => void database.close());
    // What nobody can read in the state ends each run of its project.
    const project = database.prepare("SELECT number FROM board_projects WHERE id LIKE '%api%'").pluck().get();
    database
      .prepare("INSERT INTO requests (project, at, request) VALUES (?, ?, '{')")
      .run(project, Date.now());
    await daemon.findLine(({ msg }) => msg === "The run ended with an error");
    const from = daemon.lines.length;
    await stage.run(["sync", "-c", file, "--project", "acme-app"]);
    await daemon.findLine((line) => line.msg === "Project finished" && line["project"] === "acme-app", from);
    expect(await daemon.end()).toBe(0);
    expect(listener.at("/beat")).toHaveLength(2);
  });

  it("is not called by a plan, nor by `--adopt`", async () => {
    const [stage, listener] = [await openStage(), await listen()];
    const file = announcing(stage, listener);
    await stage.run(["plan", "-c", file]);
    await stage.run(["sync", "--adopt", "-c", file]);
    expect(listener.at("/")).toEqual([]);
  });

  it.each([
    [500, "HTTP 500"],
    [302, "HTTP 302"],
    [0, "cut the connection (UND_ERR_SOCKET)"],
  ])("that is answered with %d is a warning that keeps its address to itself", async (status, reason) => {
    const [stage, listener] = [await openStage(), await listen()];
    listener.answerWith(status);
    const { code, err } = await stage.run(["sync", "-c", announcing(stage, listener)]);
    expect(code).toBe(0);
    expect(err).toContain(`"reason":"${reason}"`);
    expect(err).toContain("The heartbeat was not taken; the run is not affected");
    expect(err).not.toContain("s3cret");
    expect(listener.at("/elsewhere")).toEqual([]);
  });
});

it("neither of them holds up the end of the process", async () => {
  const [stage, listener] = [await openStage(), await listen()];
  listener.answerWith(-1);
  const interruption = new AbortController();
  const running = stage.run(["sync", "-c", announcing(stage, listener)], { signal: interruption.signal });
  await until(() => listener.at("/beat").length === 1);
  interruption.abort("SIGTERM");
  const { code, err } = await running;
  expect(code).toBe(143);
  expect(err).toContain('"reason":"gave no answer before boardsync was stopped"');
});

describe("a notice", () => {
  /** More than the guard allows is held. */
  const held = (config: string): string => `${config}guard: { issues: 1 }\n`;

  it("says by ids, codes and numbers what waits, and is not said again", async () => {
    const [stage, listener] = [await openStage(), await listen()];
    const file = announcing(stage, listener, held);
    expect((await stage.run(["sync", "-c", file])).code).toBe(4);
    const [notice, ...others] = listener.at("/notice");
    expect(others).toEqual([]);
    expect(notice).toMatchObject({ method: "POST", headers: { "content-type": "application/json" } });
    const message = JSON.parse(String(notice?.body)).text;
    expect(message).toMatch(
      /^\*boardsync\* acme-app: needs you \(\d+ actions\)\.\n(?:.*\n)*• acme-app: \d+ to approve \(.+\)\n {3}p1: opens an issue in acme\/app\n(?:.*\n)*.*\. Next: /,
    );
    for (const { title } of stage.story.board.posts("acme-app")) expect(message).not.toContain(title);
    await stage.run(["sync", "-c", file]);
    await stage.run(["sync", "-c", file]);
    expect(listener.at("/notice")).toHaveLength(1);
  });

  it("of what comes back after it was over is said again, but not within the hour", async () => {
    const [stage, listener] = [await openStage(), await listen()];
    const runs = async (isWell: boolean, at: number): Promise<number> => {
      const now = vi.spyOn(systemClock, "now").mockReturnValue(begin + at);
      const broken = (config: string) => config.replace("repo: acme/api", "repo: acme/none");
      const file = announcing(stage, listener, isWell ? undefined : broken);
      await stage.run(["sync", "-c", file]);
      now.mockRestore();
      return listener.at("/notice").length;
    };
    const begin = systemClock.now();
    expect(await runs(false, 0)).toBe(1);
    expect(await runs(true, 10 * minuteMs)).toBe(1);
    expect(await runs(false, 20 * minuteMs)).toBe(1);
    expect(await runs(false, 65 * minuteMs)).toBe(2);
    expect(await runs(false, 130 * minuteMs)).toBe(2);
    expect(await runs(true, 135 * minuteMs)).toBe(2);
    expect(await runs(false, 300 * minuteMs)).toBe(3);
  });

  it("names commands as the program was started", async () => {
    const [stage, listener] = [await openStage(), await listen()];
    const file = announcing(stage, listener, held);
    const command = "kubectl exec deploy/boardsync -- boardsync";
    await stage.run(["sync"], { command, env: { BOARDSYNC_CONFIG: file } });
    const message = JSON.parse(String(listener.at("/notice")[0]?.body)).text;
    expect(message).toContain("`kubectl exec deploy/boardsync -- boardsync status` shows why");
    expect(message).not.toContain("`boardsync ");
  });

  it("of a side that can't be reached is said, too", { tags: "long" }, async () => {
    const [stage, listener] = [await openStage(), await listen()];
    const file = announcing(stage, listener, (config) =>
      config.replace(/(board:\s*\{?\s*url: )"?http[^\s",}]+"?/, `$1${deadUrl}`),
    );
    expect((await stage.run(["sync", "-c", file])).code).toBe(3);
    expect(JSON.parse(String(listener.at("/notice")[0]?.body)).text).toContain(
      "acme-app: 1 failed with board.unreachable.",
    );
  });

  it("that was refused is said again by the next run, and one that may have been read is not", async () => {
    const [stage, listener] = [await openStage(), await listen()];
    const file = announcing(stage, listener, held);
    listener.answerWith(503);
    const { code, err } = await stage.run(["sync", "-c", file]);
    expect(code).toBe(4);
    expect(err).toContain("The notice of what waits for a person was not taken");
    expect(err).not.toContain("s3cret");
    listener.answerWith(0);
    await stage.run(["sync", "-c", file]);
    listener.answerWith(200);
    await stage.run(["sync", "-c", file]);
    expect(listener.at("/notice")).toHaveLength(2);
  });

  it("that never left is said again by the next run", async () => {
    const [stage, listener] = [await openStage(), await listen()];
    const file = announcing(stage, listener, held);
    // It speaks no TLS.
    const secure = stage.writeConfig("secure.yaml", (config) =>
      held(`${config}notices: { url: ${listener.url.replace("http:", "https:")}/notice }\n`),
    );
    const { code, err } = await stage.run(["sync", "-c", secure]);
    expect(code).toBe(4);
    expect(err).toContain("The notice of what waits for a person was not taken");
    await stage.run(["sync", "-c", file]);
    expect(listener.at("/notice")).toHaveLength(1);
  });
});
