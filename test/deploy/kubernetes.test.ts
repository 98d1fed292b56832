import { globSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { load } from "../config/support.ts";
import { problemsOfObject } from "./api.ts";
import { imageEnvironment, read, root, version } from "./files.ts";
import { folder, listAt, parseSample, valueAt } from "./sample.ts";

const image = imageEnvironment();
const mountPoints = [dirname(image["BOARDSYNC_CONFIG"] ?? ""), dirname(image["BOARDSYNC_STATE"] ?? "")];

describe("Kubernetes", () => {
  const deployment = parseSample("kubernetes/deployment.yaml");
  const cronJob = parseSample("kubernetes/cronjob.yaml");
  const config = parseSample("kubernetes/config.yaml");
  const secret = parseSample("kubernetes/secret.yaml");
  const state = parseSample("kubernetes/state.yaml");
  const pods = [
    ["the Deployment", deployment, ["spec", "template", "spec"], "daemon"],
    ["the CronJob", cronJob, ["spec", "jobTemplate", "spec", "template", "spec"], "sync"],
  ] as const;

  it.each(
    globSync("*.yaml", { cwd: `${root}${folder}kubernetes` }).filter((name) => name !== "kustomization.yaml"),
  )("takes %s, field by field", (name) => {
    expect(problemsOfObject(parse(read(`${folder}kubernetes/${name}`)))).toEqual([]);
  });

  it("puts the daemon together with kustomize, and names the image that its Deployment has", () => {
    const { resources, images } = parse(read(`${folder}kubernetes/kustomization.yaml`));
    expect(resources).toEqual(["config.yaml", "state.yaml", "deployment.yaml"]);
    expect(images).toEqual([{ name: "boardsync", newName: "boardsync", newTag: version }]);
  });

  it("tells the daemon how a person starts it here", () => {
    expect(listAt(deployment, "spec", "template", "spec", "containers", 0, "env")).toContainEqual({
      name: "BOARDSYNC_COMMAND",
      value: "kubectl exec -it deploy/boardsync -- boardsync",
    });
  });

  it.each(pods)("%s takes every right from the pod", (_, document, path) => {
    expect(valueAt(document, ...path)).toMatchObject({
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 10,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        fsGroup: 1000,
        seccompProfile: { type: "RuntimeDefault" },
      },
    });
    expect(valueAt(document, ...path, "containers", 0)["securityContext"]).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  it.each(pods)("%s runs one command of this version", (_, document, path, command) => {
    expect(listAt(document, ...path, "containers")).toEqual([
      expect.objectContaining({ args: [command], image: `boardsync:${version}` }),
    ]);
  });

  it.each(pods)("%s mounts config, secrets and state where the image expects them", (_, document, path) => {
    const mounts = listAt(document, ...path, "containers", 0, "volumeMounts");
    const volumes = listAt(document, ...path, "volumes");
    expect(mounts.map(({ mountPath }) => mountPath)).toEqual([
      mountPoints[0],
      "/run/secrets/boardsync",
      mountPoints[1],
      "/tmp",
    ]);
    expect(mounts.map(({ name }) => name)).toEqual(volumes.map(({ name }) => name));
    expect(volumes).toMatchObject([
      { configMap: { name: valueAt(config, "metadata")["name"] } },
      { secret: { secretName: valueAt(secret, "metadata")["name"], defaultMode: 0o440 } },
      { persistentVolumeClaim: { claimName: valueAt(state, "metadata")["name"] } },
      { emptyDir: {} },
    ]);
  });

  it.each(pods)("%s names secrets that there are", (_, document, path) => {
    const keys = Object.keys(valueAt(secret, "stringData"));
    const env = listAt(document, ...path, "containers", 0, "env");
    expect(env.filter(({ name }) => String(name).endsWith("_FILE"))).toEqual([
      { name: "BOARD_API_KEY_FILE", value: `/run/secrets/boardsync/${keys[0]}` },
      { name: "GITHUB_TOKEN_FILE", value: `/run/secrets/boardsync/${keys[1]}` },
    ]);
  });

  it("never has two daemons on one state", () => {
    expect(valueAt(deployment, "spec")).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
    expect(valueAt(deployment, "spec", "selector")["matchLabels"]).toEqual(
      valueAt(deployment, "spec", "template", "metadata")["labels"],
    );
  });

  it("asks whether it lives without a connection, which others could take", () => {
    const container = valueAt(deployment, "spec", "template", "spec", "containers", 0);
    expect(container["livenessProbe"]).toMatchObject({
      exec: { command: ["boardsync", "health"] },
    });
  });

  it.each(["startupProbe", "readinessProbe"])("asks for the health by its %s", (probe) => {
    const container = valueAt(deployment, "spec", "template", "spec", "containers", 0);
    expect(container[probe]).toMatchObject({ httpGet: { path: "/healthz", port: "http" } });
    expect(container["ports"]).toEqual([{ name: "http", containerPort: 8787 }]);
  });

  it("never has two runs at once, and leaves the retry to the schedule", () => {
    expect(valueAt(cronJob, "spec")).toMatchObject({
      concurrencyPolicy: "Forbid",
      jobTemplate: { spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never" } } } },
    });
  });

  it("has a config that the program takes", () => {
    const [[name, text] = []] = Object.entries(valueAt(config, "data"));
    expect(name).toBe(basename(image["BOARDSYNC_CONFIG"] ?? ""));
    const loaded = load(String(text));
    expect(loaded.projects.map(({ project }) => project)).toEqual(["acme-app"]);
    // A job is given more time than a run takes for itself.
    const deadline = valueAt(cronJob, "spec", "jobTemplate", "spec")["activeDeadlineSeconds"];
    expect(Number(deadline) * 1000).toBeGreaterThan(loaded.budget);
  });
});
