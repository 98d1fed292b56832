import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { imageEnvironment, read, version } from "./files.ts";
import { folder, parseSample, valueAt } from "./sample.ts";

const image = imageEnvironment();
const mountPoints = [dirname(image["BOARDSYNC_CONFIG"] ?? ""), dirname(image["BOARDSYNC_STATE"] ?? "")];

describe("Docker Compose", () => {
  const compose = parseSample("compose.yaml");
  const service = valueAt(compose, "services", "boardsync");

  it("takes every right from the container but the state and a scratch folder", () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      tmpfs: [expect.stringMatching(/^\/tmp:/)],
    });
    expect(service).not.toHaveProperty("privileged");
    expect(service["ports"]).toEqual(["127.0.0.1:8787:8787"]);
  });

  it("starts it again, and stops it no sooner than the write in hand may take", () => {
    expect(service).toMatchObject({ restart: "unless-stopped", stop_grace_period: "10s" });
  });

  it("mounts the config, read-only, and a named volume for the state", () => {
    expect(service["volumes"]).toEqual([
      `./boardsync.yaml:${image["BOARDSYNC_CONFIG"]}:ro`,
      `state:${mountPoints[1]}`,
    ]);
    expect(valueAt(compose, "volumes")).toHaveProperty("state");
  });

  it("hands the secrets over as files", () => {
    const secrets = Object.keys(valueAt(compose, "secrets"));
    expect(service["secrets"]).toEqual(secrets);
    expect(service["environment"]).toMatchObject({
      BOARD_API_KEY_FILE: "/run/secrets/board_api_key",
      GITHUB_TOKEN_FILE: "/run/secrets/github_token",
    });
    expect(secrets).toEqual(["board_api_key", "github_token"]);
  });

  it.each([
    ["compose.yaml", "docker compose exec"],
    ["compose-postgres.yaml", "docker compose -f compose-postgres.yaml exec"],
    ["compose-instances.yaml", "docker compose -f compose-instances.yaml exec"],
  ])("tells each daemon of %s how a person starts it there", (name, command) => {
    const { services } = parse(read(`${folder}${name}`), { merge: true });
    const daemons = Object.entries<Record<string, unknown>>(services).filter(([, { image }]) =>
      String(image).includes("boardsync"),
    );
    expect(daemons.length).toBeGreaterThan(0);
    for (const [service, { environment }] of daemons)
      expect(Object(environment).BOARDSYNC_COMMAND).toBe(`${command} ${service} boardsync`);
  });

  it("runs this version", () => {
    expect(service["image"]).toBe(`$\{BOARDSYNC_IMAGE:-boardsync:${version}}`);
  });
});
