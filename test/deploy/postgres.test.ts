/** @module-tag long */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStage } from "../commands/stage.ts";
import { startPostgres, type TestServer } from "../support/postgres.ts";
import { imageEnvironment, read } from "./files.ts";
import { listAt, parseSample, valueAt } from "./sample.ts";
import { stateOf } from "./state.ts";

const image = imageEnvironment();

describe("Docker Compose with PostgreSQL", () => {
  const compose = parseSample("compose-postgres.yaml");
  const replicas = valueAt(compose, "services", "boardsync");
  const server = valueAt(compose, "services", "postgres");
  const usual = valueAt(parseSample("compose.yaml"), "services", "boardsync");

  it("runs each replica as the daemon of one instance does", () => {
    const { environment, secrets: _, volumes: __, ports: ___, ...rest } = usual;
    const { BOARDSYNC_COMMAND: ____, ...variables } = Object(environment);
    expect(replicas).toMatchObject({ ...rest, environment: variables });
  });

  it("gives two replicas one config, a port each, and no state of their own", () => {
    expect(replicas["scale"]).toBe(2);
    expect(replicas["volumes"]).toEqual([`./boardsync.yaml:${image["BOARDSYNC_CONFIG"]}:ro`]);
    const [, first, last, own] =
      /^127\.0\.0\.1:(\d+)-(\d+):(\d+)$/.exec(String(Object(replicas)["ports"])) ?? [];
    expect(Number(last) - Number(first) + 1).toBe(replicas["scale"]);
    expect(own).toBe("8787");
  });

  it("names the server beside them as their state, with the role and the database that it makes", async () => {
    const [url = ""] = /postgres:\/\/\S+(?=,)/.exec(read("config/deploy/compose-postgres.yaml")) ?? [];
    const state = await stateOf(Object(replicas["environment"]), { "/run/secrets/state_url": url });
    expect(state).toBe(url);
    const { hostname, username, pathname } = new URL(state);
    expect(Object.keys(valueAt(compose, "services"))).toContain(hostname);
    expect(server["environment"]).toMatchObject({ POSTGRES_USER: username, POSTGRES_DB: pathname.slice(1) });
    expect(Object(server["healthcheck"]).test).toEqual([
      "CMD",
      "pg_isready",
      `--username=${username}`,
      `--dbname=${pathname.slice(1)}`,
    ]);
  });

  it("hands over every secret that there is, and to nobody more than is needed", () => {
    expect(replicas["secrets"]).toEqual(["board_api_key", "github_token", "state_url"]);
    expect(server["secrets"]).toEqual(["postgres_password"]);
    expect(Object(server["environment"]).POSTGRES_PASSWORD_FILE).toBe("/run/secrets/postgres_password");
    const files = Object.values(valueAt(compose, "secrets")).map((secret) => Object(secret).file);
    const named = [...Object(replicas["secrets"]), ...Object(server["secrets"])];
    expect(files.toSorted()).toEqual(named.map((name) => `./secrets/${name}`).toSorted());
  });

  it("keeps the database in a volume, shows it to nobody, and starts nothing before it answers", () => {
    expect(server["volumes"]).toEqual(["postgres:/var/lib/postgresql"]);
    expect(valueAt(compose, "volumes")).toHaveProperty("postgres");
    expect(server).not.toHaveProperty("ports");
    expect(replicas["depends_on"]).toEqual({ postgres: { condition: "service_healthy" } });
  });
});

describe("Kubernetes with PostgreSQL", () => {
  const deployment = parseSample("kubernetes/deployment-postgres.yaml");
  const usual = parseSample("kubernetes/deployment.yaml");
  const budget = parseSample("kubernetes/disruption-budget.yaml");
  const pod = ["spec", "template", "spec"] as const;
  const container = valueAt(deployment, ...pod, "containers", 0);

  it("runs each replica as the daemon of one instance does, but for its state and its probe", () => {
    const { env: _, livenessProbe: __, volumeMounts: ___, ...rest } = valueAt(usual, ...pod, "containers", 0);
    expect(container).toMatchObject(rest);
    const { containers: ____, volumes: _____, ...around } = valueAt(usual, ...pod);
    expect(valueAt(deployment, ...pod)).toMatchObject(around);
    expect(valueAt(deployment, "metadata")).toEqual(valueAt(usual, "metadata"));
    expect(valueAt(deployment, "spec", "selector")).toEqual(valueAt(usual, "spec", "selector"));
  });

  it("mounts what the other one does, but no disk", () => {
    const isState = ({ name }: Record<string, unknown>): boolean => name === "state";
    const of = (...path: (string | number)[]) =>
      listAt(usual, ...pod, ...path).filter((one) => !isState(one));
    expect(listAt(deployment, ...pod, "volumes")).toEqual(of("volumes"));
    expect(container["volumeMounts"]).toEqual(of("containers", 0, "volumeMounts"));
  });

  it("is at the address of the secret, and at no file of the image", async () => {
    const secret = valueAt(parseSample("kubernetes/secret.yaml"), "stringData");
    const environment = listAt(deployment, ...pod, "containers", 0, "env").map(({ name, value }) => [
      name,
      value,
    ]);
    const files = Object.entries(secret).map(([key, value]) => [`/run/secrets/boardsync/${key}`, value]);
    const state = await stateOf(Object.fromEntries(environment), Object.fromEntries(files));
    expect(state).toBe(secret["state-url"]);
    expect(new URL(state).searchParams.get("sslmode")).toBe("verify-full");
    const others = environment.filter(([name]) => name !== "BOARDSYNC_STATE_URL_FILE");
    expect(others).toEqual(
      listAt(usual, ...pod, "containers", 0, "env").map(({ name, value }) => [name, value]),
    );
  });

  it("is never without a replica while it is replaced or a machine is emptied", () => {
    const { replicas, strategy } = valueAt(deployment, "spec");
    expect(replicas).toBe(2);
    expect(strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
    const { maxUnavailable, selector } = valueAt(budget, "spec");
    expect(maxUnavailable).toBeLessThan(Number(replicas));
    expect(selector).toEqual(valueAt(deployment, "spec", "selector"));
    const spread = listAt(deployment, ...pod, "topologySpreadConstraints");
    expect(spread).toMatchObject([{ topologyKey: "kubernetes.io/hostname", labelSelector: selector }]);
  });

  it("is not restarted for a server that is gone", () => {
    expect(container["livenessProbe"]).toMatchObject({ httpGet: { path: "/healthz", port: "http" } });
  });
});

describe("the page on PostgreSQL", () => {
  const blocks = [...read("config/docs/reference/postgres.md").matchAll(/^```sql\n([^`]*)^```$/gm)].map(
    ([, sql = ""]) => sql.split("\n").filter((line) => line !== ""),
  );
  const [database = [], schema = [], less = []] = blocks;
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.end());

  it("gives roles and rights that are enough, line by line", async () => {
    expect(blocks).toHaveLength(3);
    const stage = await openStage();
    const sync = async (url: string, role: string): Promise<string> => {
      const as = Object.assign(new URL(url), { username: role, password: "choose-one" });
      const { code, err } = await stage.run(["sync", "--quiet"], { env: { BOARDSYNC_STATE_URL: as.href } });
      return `${code} ${err}`;
    };
    const shared = await server.freshDatabase();
    const mayNot = expect.stringContaining("may not use or make the tables of boardsync");

    for (const line of database) await server.ask(server.urlOf("postgres"), line);
    expect(await sync(shared, "boardsync")).toEqual(mayNot);
    for (const line of schema) await server.ask(shared, line);
    expect(await sync(shared, "boardsync")).toBe("0 ");

    await server.ask(shared, "CREATE ROLE another LOGIN PASSWORD 'choose-one'");
    expect(await sync(shared, "another")).toEqual(mayNot);
    for (const line of less) await server.ask(shared, line);
    expect(await sync(shared, "another")).toBe("0 ");

    expect(await sync(server.urlOf("boardsync"), "boardsync")).toBe("0 ");
  });
});
