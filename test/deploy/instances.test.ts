import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { imageEnvironment, read } from "./files.ts";
import { folder, listAt, parseSample, valueAt } from "./sample.ts";

const stateFolder = dirname(imageEnvironment()["BOARDSYNC_STATE"] ?? "");
const usual = valueAt(parseSample("compose.yaml"), "services", "boardsync");

/** Compose merges what `<<` names. */
const compose = parse(read(`${folder}compose-instances.yaml`), { merge: true });
const instances = Object.entries<Readonly<Record<string, unknown>>>(compose.services);

describe("several instances", () => {
  it.each(instances)("%s runs as the daemon of one instance does", (_, service) => {
    const { secrets: __, volumes: ___, ports: ____, environment, ...rest } = usual;
    const { BOARDSYNC_COMMAND: _____, ...variables } = Object(environment);
    expect(service).toMatchObject({ ...rest, environment: variables });
  });

  it.each(instances)("%s has a config, a state and secrets of its own", (name, service) => {
    expect(service["volumes"]).toEqual([
      `./${name}/boardsync.yaml:/config/boardsync.yaml:ro`,
      `${name}:${stateFolder}`,
    ]);
    expect(service["secrets"]).toEqual([
      { source: `${name}_board_api_key`, target: "board_api_key" },
      { source: `${name}_github_token`, target: "github_token" },
    ]);
  });

  it("names every volume and every secret that there is, and no port twice", () => {
    const names = instances.map(([name]) => name);
    expect(Object.keys(compose.volumes)).toEqual(names);
    expect(Object.keys(compose.secrets)).toEqual(
      names.flatMap((name) => [`${name}_board_api_key`, `${name}_github_token`]),
    );
    const ports = instances.flatMap(([, { ports }]) => ports);
    expect(new Set(ports).size).toBe(names.length);
  });
});

describe("Litestream", () => {
  const config = parseSample("litestream.yml");
  const sidecar = valueAt(parseSample("compose-litestream.yaml"), "services", "litestream");

  it("replicates the state that the daemon beside it writes", () => {
    const database = valueAt(config, "dbs", 0);
    expect(listAt(config, "dbs")).toHaveLength(1);
    expect(database["path"]).toBe(`$\{BOARDSYNC_STATE}`);
    expect(sidecar["environment"]).toEqual({ BOARDSYNC_STATE: imageEnvironment()["BOARDSYNC_STATE"] });
    expect(sidecar["volumes"]).toContain(`state:${stateFolder}`);
  });

  it("cuts the log before the daemon complains of its size", () => {
    const pageBytes = 4096;
    const complaintBytes = 64 * 1024 * 1024;
    expect(Number(valueAt(config, "dbs", 0)["truncate-page-n"]) * pageBytes).toBeLessThan(complaintBytes);
  });

  it("holds no secret, and takes every right from the container", () => {
    expect(read(`${folder}litestream.yml`)).not.toMatch(/(access-key|secret)[a-z-]*:/);
    expect(sidecar).toMatchObject({
      user: "1000:1000",
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
  });
});
