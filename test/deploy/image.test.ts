import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { imageEnvironment, parseDockerfile, read, root } from "./files.ts";

const instructions = parseDockerfile(read("Dockerfile"));
const last = instructions.at(-1)?.stage ?? 0;

function valuesOf(name: string, stage = last): readonly string[] {
  return instructions
    .filter((instruction) => instruction.name === name && instruction.stage === stage)
    .map(({ value }) => value);
}

/** A value in exec form; a shell between it and the program would swallow signals, and needs a shell. */
function commandOf(value: string | undefined): unknown {
  return JSON.parse(String(value));
}

describe("the image", () => {
  it("is made in two stages on one base, which may be pinned to a digest", () => {
    expect(valuesOf("ARG", 0)).toEqual([expect.stringMatching(/^NODE_IMAGE=node:24-\w*slim$/)]);
    expect(valuesOf("FROM", 1)).toEqual([`$\{NODE_IMAGE} AS build`]);
    expect(valuesOf("FROM", 2)).toEqual([`$\{NODE_IMAGE}`]);
    expect(last).toBe(2);
  });

  it("installs from the lock file alone, and runs no script of a package", () => {
    const runs = [...valuesOf("RUN", 1), ...valuesOf("RUN", 2)];
    const installs = runs.filter((run) => run.includes("npm ci"));
    expect(installs).toHaveLength(2);
    for (const install of installs) expect(install).toContain("--ignore-scripts");
    expect(runs.join("\n")).not.toMatch(/\b(apt|apt-get|apk|dnf|curl|wget|npx|npm i|npm install)\b/);
  });

  it("carries what production needs: no development dependency, no source", () => {
    expect(valuesOf("RUN").filter((run) => run.includes("npm ci"))).toEqual([
      expect.stringContaining("--omit=dev"),
    ]);
    expect(valuesOf("COPY")).toEqual([
      "package.json package-lock.json ./",
      "--from=build /app/dist ./dist",
      "config/docs ./config/docs",
    ]);
    expect(imageEnvironment()["NODE_ENV"]).toBe("production");
    expect(valuesOf("ENV", 1)).toEqual([]);
  });

  it("starts the daemon as process 1, and takes another command instead", () => {
    expect(valuesOf("ENTRYPOINT").map(commandOf)).toEqual([["node", "/app/dist/main.js"]]);
    expect(valuesOf("CMD").map(commandOf)).toEqual([["daemon"]]);
    expect(valuesOf("WORKDIR")).toEqual(["/app"]);
  });

  it("has `boardsync` on its PATH, as people and the probes of Kubernetes start it", () => {
    expect(valuesOf("RUN")).toContain("ln -s /app/dist/main.js /usr/local/bin/boardsync");
    // A link to a program needs what tells the system how to run it; the build makes it executable.
    expect(read("src/main.ts")).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(JSON.parse(read("package.json")).scripts.build).toContain("chmod +x dist/main.js");
  });

  it("asks the program itself for its health, without a shell and without a port", () => {
    const [check] = valuesOf("HEALTHCHECK");
    expect(commandOf(check?.replace(/^.* CMD /, ""))).toEqual(["node", "/app/dist/main.js", "health"]);
  });

  it("runs as a user that can be seen not to be root, and who owns the state's folder", () => {
    const [user] = valuesOf("USER");
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const names = instructions.filter(({ stage }) => stage === last).map(({ name }) => name);
    expect(names.lastIndexOf("USER")).toBeGreaterThan(
      Math.max(names.lastIndexOf("RUN"), names.lastIndexOf("COPY")),
    );
    expect(valuesOf("RUN").some((run) => run.includes(`chown ${user} /data`))).toBe(true);
    // What is done to a folder after it was declared as a volume is lost.
    expect(names.lastIndexOf("VOLUME")).toBeGreaterThan(names.lastIndexOf("RUN"));
    expect(valuesOf("VOLUME").map(commandOf)).toEqual([["/data"]]);
  });

  it("keeps the config, the state and the health where the documents say", () => {
    expect(imageEnvironment()).toEqual({
      NODE_ENV: "production",
      BOARDSYNC_CONFIG: "/config/boardsync.yaml",
      BOARDSYNC_STATE: "/data/boardsync.db",
      BOARDSYNC_HTTP_HOST: "0.0.0.0",
      MALLOC_TRIM_THRESHOLD_: "131072",
    });
    expect(valuesOf("EXPOSE")).toEqual(["8787"]);
  });

  it("is built from what it names: nothing else reaches the build", () => {
    const rules = read(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    const copied = [...valuesOf("COPY", 1), ...valuesOf("COPY")]
      .filter((value) => !value.startsWith("--from"))
      .flatMap((value) => value.split(" ").slice(0, -1));
    expect(rules[0]).toBe("*");
    const allowed = rules.filter((rule) => rule.startsWith("!")).map((rule) => rule.slice(1));
    expect(allowed.toSorted()).toEqual([...new Set(copied)].toSorted());
    expect(allowed.filter((name) => !existsSync(`${root}${name}`))).toEqual([]);
  });
});
