/** @module-tag long */
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { problemsOfObject } from "../api.ts";
import { imageEnvironment } from "../files.ts";
import { parseSample, valueAt } from "../sample.ts";
import {
  at,
  cases,
  config,
  environmentOf,
  filesOf,
  least,
  list,
  objectOf,
  objectsOf,
  podPath,
} from "./cases.ts";
import { helm, lint, refusal, type Values } from "./helm.ts";

/**
 * The chart as the real Helm renders it: 3.8.1 out of an npm package, or the one that HELM names. What comes out is held
 * against Kubernetes' own description. No cluster has seen it.
 */

const image = imageEnvironment();

describe.skipIf(helm === undefined)(
  "the chart, rendered by Helm (skipped where there is none: set HELM)",
  () => {
    it("gives numbers and yes or no of `extraEnv` to the pod as text", () => {
      const given = cases.get("every option, on PostgreSQL") ?? least;
      expect(environmentOf(objectsOf(given))).toMatchObject({
        PORT: "8080",
        MANY: "1000000",
        ON: "true",
        WORD: "yes",
      });
    });

    it("has nothing that `helm lint --strict` finds fault with", () => {
      const { status, out } = lint(least);
      expect(status, out).toBe(0);
      expect(out).toContain("0 chart(s) failed");
    });

    describe.each([...cases])("%s", (_, given) => {
      const parts = () => {
        const objects = objectsOf(given);
        const deployment = objectOf(objects, "Deployment");
        const pod = at(deployment, ...podPath);
        return { objects, deployment, pod, container: at(pod, "containers", 0) };
      };

      it("is what the API takes, field by field", () => {
        expect(objectsOf(given).flatMap(problemsOfObject)).toEqual([]);
      });

      it("gives the pod the rights, the probes and the resources of the plain sample", () => {
        const { deployment, pod, container } = parts();
        const kind = Object(at(given, "state"))["kind"] === "postgres" ? "deployment-postgres" : "deployment";
        const sample = parseSample(`kubernetes/${kind}.yaml`);
        const {
          env: _env,
          volumeMounts: _mounts,
          image: _image,
          ports,
          ...rest
        } = valueAt(sample, ...podPath, "containers", 0);
        expect(container).toMatchObject(rest);
        expect(container["securityContext"]).toEqual(rest["securityContext"]);
        expect(container["ports"]).toEqual(expect.arrayContaining(Object(ports)));
        const {
          containers: _containers,
          volumes: _volumes,
          topologySpreadConstraints: spread,
          ...around
        } = valueAt(sample, ...podPath);
        expect(pod).toMatchObject(around);
        expect(pod["securityContext"]).toEqual(around["securityContext"]);
        expect(list(pod, "topologySpreadConstraints")).toHaveLength(spread === undefined ? 0 : 1);
        expect(at(deployment, "spec", "strategy")).toEqual(valueAt(sample, "spec", "strategy"));
      });

      it("has every secret file that its variables name, and mounts no other", () => {
        const { objects } = parts();
        const named = Object.entries(environmentOf(objects)).filter(([name]) => name.endsWith("_FILE"));
        expect(named.map(([, path]) => path)).toEqual(Object.keys(filesOf(objects)));
        expect(named.length).toBeGreaterThan(1);
      });

      it("mounts every volume, config and state where the image expects them", () => {
        const { deployment, pod, container } = parts();
        const mounts = list(container, "volumeMounts");
        expect(mounts.map(({ name }) => name)).toEqual(list(pod, "volumes").map(({ name }) => name));
        const paths = mounts.map(({ mountPath }) => mountPath);
        const stateFolder = dirname(image["BOARDSYNC_STATE"] ?? "");
        expect(paths).toContain(dirname(image["BOARDSYNC_CONFIG"] ?? ""));
        expect(paths.includes(stateFolder)).toBe(at(deployment, "spec", "strategy")["type"] === "Recreate");
      });

      it("has objects that find each other", () => {
        const { objects, deployment, container } = parts();
        const labels = at(deployment, "spec", "template", "metadata", "labels");
        const ports = list(container, "ports").map(({ name, containerPort }) => [name, containerPort]);
        const service = objectOf(objects, "Service");
        for (const selector of [
          at(deployment, "spec", "selector", "matchLabels"),
          at(service, "spec", "selector"),
          at(objectOf(objects, "PodDisruptionBudget"), "spec", "selector", "matchLabels"),
          at(objectOf(objects, "NetworkPolicy"), "spec", "podSelector", "matchLabels"),
        ]) {
          expect(labels).toMatchObject(selector);
        }
        expect(at(service, "metadata", "labels")).toMatchObject(
          at(objectOf(objects, "ServiceMonitor"), "spec", "selector", "matchLabels"),
        );
        expect(list(service, "spec", "ports").map(({ targetPort }) => targetPort)).toEqual(
          ports.map(([name]) => name),
        );
        expect(ports.map(([, port]) => port)).toEqual(ports.length === 1 ? [8787] : [8787, 8788]);
        const names = new Set(objects.map(({ metadata }) => metadata.name));
        expect(names).toEqual(new Set([at(given)["fullnameOverride"] ?? "boardsync"]));
      });
    });

    it.each<[string, Values, string]>([
      ["two pods on one file", { ...least, replicas: 2 }, "replicas: 2 need `state.kind: postgres`"],
      ["no config", {}, "`config` needs `board` and `projects`"],
      ["two configs", { ...least, existingConfigMap: "mine" }, "either `config` or `existingConfigMap`"],
      ["no HTTP", { config: { ...config, http: false } }, "`config.http` must not be switched off"],
      ["another port", { config: { ...config, http: { port: 0 } } }, "`config.http.port`: leave it out"],
      [
        "another port of webhooks",
        { config: { ...config, http: { webhooksPort: 1 } } },
        "`config.http.webhooksPort`",
      ],
      ["half an App", { config, secrets: { githubAppId: { name: "app" } } }, "A GitHub App needs both"],
      ["no key", { config, secrets: { boardKey: { name: "" } } }, "BOARD_API_KEY has no secret"],
      [
        "an Ingress to nothing",
        { config, webhooks: { ingress: { enabled: true, host: "a" } } },
        "needs `webhooks.enabled`",
      ],
      [
        "an Ingress anywhere",
        { config, webhooks: { enabled: true, ingress: { enabled: true } } },
        "webhooks.ingress.host",
      ],
      ["a value that there is not", { ...least, replicaCount: 1 }, "replicaCount"],
      ["a secret", { config, secrets: { githubToken: { value: "ghp_x" } } }, "value"],
      ["a word for a number", { ...least, replicas: "two" }, "replicas"],
      ["no way out at all", { config, networkPolicy: { egressPorts: [] } }, "egressPorts"],
    ])("refuses %s, and says what to mend", (_, given, words) => {
      expect(refusal(given)).toContain(words);
    });
  },
);
