/** @module-tag long */
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadSecrets } from "../../../src/config/secrets.ts";
import { everything, load } from "../../config/support.ts";
import { read, version } from "../files.ts";
import { listAt, parseSample } from "../sample.ts";
import { stateOf } from "../state.ts";
import {
  all,
  app,
  at,
  cases,
  config,
  environmentOf,
  filesOf,
  least,
  list,
  objectOf,
  objectsOf,
  place,
  podPath,
} from "./cases.ts";
import { helm, notes, render, type Values } from "./helm.ts";

describe.skipIf(helm === undefined)(
  "what Helm makes of the chart (skipped where there is none: set HELM)",
  () => {
    it("keeps a state in a file from two pods", () => {
      const objects = objectsOf(least);
      expect(at(objectOf(objects, "Deployment"), "spec")).toMatchObject({
        replicas: 1,
        strategy: { type: "Recreate" },
      });
      expect(objectOf(objects, "PersistentVolumeClaim")).toMatchObject({
        metadata: { annotations: { "helm.sh/resource-policy": "keep" } },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      expect(objects.map(({ kind }) => kind)).not.toContain("PodDisruptionBudget");
    });

    it("takes a claim and a ConfigMap that exist in the place of its own", () => {
      const objects = render(cases.get("a claim and a ConfigMap that exist") ?? {});
      expect(objects.map(({ kind }) => kind).toSorted()).toEqual(["Deployment", "Service", "ServiceAccount"]);
      expect(list(objectOf(objects, "Deployment"), ...podPath, "volumes")).toMatchObject([
        { configMap: { name: "mine" } },
        {},
        { persistentVolumeClaim: { claimName: "old" } },
        {},
      ]);
    });

    it("takes names that look like numbers for names", () => {
      const secrets = { boardKey: { name: "123", key: "true" } };
      const state = { volume: { existingClaim: "1e3" } };
      const objects = render({ secrets, state, existingConfigMap: "0x10" }, "a.12");
      const pod = list(objectOf(objects, "Deployment"), ...podPath, "volumes");
      expect(JSON.stringify(pod)).toContain('{"name":"123","items":[{"key":"true"');
      expect(pod).toMatchObject([
        { configMap: { name: "0x10" } },
        {},
        { persistentVolumeClaim: { claimName: "1e3" } },
        {},
      ]);
      // The name of a Service has no dot in it.
      expect(String(at(objectOf(objects, "Service"), "metadata", "name"))).toBe("a-12-boardsync");
    });

    it("hands the config over as it was given", () => {
      const written = at(objectOf(render({ config: parse(everything) }), "ConfigMap"), "data")[
        "boardsync.yaml"
      ];
      expect(load(String(written))).toEqual(load(everything));
    });

    it("rolls the pod when the config changes, and only then", () => {
      const sumOf = (given: Values): unknown =>
        at(objectOf(render(given), "Deployment"), "spec", "template", "metadata", "annotations")[
          "checksum/config"
        ];
      expect(sumOf({ ...least, logLevel: "debug" })).toBe(sumOf(least));
      expect(sumOf({ config: { ...config, settle: "11m" } })).not.toBe(sumOf(least));
    });

    it.each([
      ["a token", least, { kind: "token", token: "boardsync/github-token" }, undefined],
      [
        "every option",
        { ...all, secrets: { ...all.secrets, githubAppId: {}, githubAppPrivateKey: {} } },
        { kind: "token" },
        "page/http-token",
      ],
    ])("lets the program find its secrets: %s", (_, given, github, token) => {
      const objects = render(given);
      const files = filesOf(objects);
      const readText = (path: string): string => `${files[path]}`;
      const { secrets } = loadSecrets({ environment: environmentOf(objects), cwd: "/app", readText });
      expect(secrets).toMatchObject({ boardApiKey: "boardsync/board-api-key", github });
      expect(secrets.http.token).toBe(token);
      expect(secrets.http.webhook).toBe(token && "boardsync/webhook-secret");
    });

    it("signs in as an App with the id and the key of one, and mounts no token", () => {
      const objects = render({ config, secrets: app });
      const { GITHUB_APP_ID_FILE = "", GITHUB_APP_PRIVATE_KEY_FILE = "", ...rest } = environmentOf(objects);
      const files = filesOf(objects);
      expect(rest).not.toHaveProperty("GITHUB_TOKEN_FILE");
      expect(files[GITHUB_APP_ID_FILE]).toBe("app/github-app-id");
      expect(files[GITHUB_APP_PRIVATE_KEY_FILE]).toBe("app/pem");
    });

    it("is at the address of the secret with PostgreSQL", async () => {
      const objects = objectsOf(all);
      const [path = ""] = Object.entries(filesOf(objects)).find(([, key]) => key === "db-app/uri") ?? [];
      const url = "postgres://boardsync:secret@db.example.com/boardsync?sslmode=verify-full";
      expect(await stateOf(environmentOf(objects), { [path]: url })).toBe(url);
    });

    it("opens nothing but the webhooks to the world, on a port where there is nothing else", () => {
      const objects = objectsOf(all);
      expect(list(objectOf(objects, "Ingress"), "spec", "rules")).toEqual([
        {
          host: "hooks.example.com",
          http: {
            paths: [
              {
                path: "/webhooks/github",
                pathType: "Exact",
                backend: { service: { name: "feedback", port: { name: "webhooks" } } },
              },
            ],
          },
        },
      ]);
      const written = load(String(at(objectOf(objects, "ConfigMap"), "data")["boardsync.yaml"]));
      expect(written.http).toMatchObject({ port: 8787, webhooksPort: 8788 });
    });

    it("lets in and out only what is named", () => {
      const from = (name: string) => [
        { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } },
      ];
      const tcp = (port: number) => ({ protocol: "TCP", port });
      const dns = { ports: [{ protocol: "UDP", port: 53 }, tcp(53)] };
      expect(at(objectOf(objectsOf(all), "NetworkPolicy"), "spec")).toMatchObject({
        policyTypes: ["Ingress", "Egress"],
        ingress: [
          { from: from("monitoring"), ports: [tcp(8787)] },
          { from: from("ingress-nginx"), ports: [tcp(8788)] },
        ],
        egress: [dns, { ports: [tcp(443), tcp(3128), tcp(5432)] }],
      });
      expect(
        at(objectOf(render({ config, networkPolicy: { enabled: true } }), "NetworkPolicy"), "spec"),
      ).toMatchObject({
        ingress: [],
        egress: [dns, { ports: [tcp(443)] }],
      });
    });

    it("has every alert rule of the sample, but for the missing replica where there is only one", () => {
      const rulesOf = (given: Values) =>
        list(objectOf(render(given), "PrometheusRule"), "spec", "groups", 0, "rules");
      const rules = listAt(parseSample("alerts.yaml"), "groups", 0, "rules");
      const isFor = ({ alert }: Record<string, unknown>): boolean => alert !== "BoardsyncReplicaMissing";
      expect(rulesOf(all)).toEqual(rules);
      expect(rulesOf({ config, prometheusRule: { enabled: true } })).toEqual(rules.filter(isFor));
      // The rules ask for the job `boardsync`.
      const { jobLabel } = at(objectOf(objectsOf(all), "ServiceMonitor"), "spec");
      expect(at(objectOf(objectsOf(all), "Service"), "metadata", "labels")[String(jobLabel)]).toBe(
        "boardsync",
      );
    });

    it("tells after an install how to look at it, and what GitHub is to be told", () => {
      expect(notes(least)).toContain("kubectl exec deploy/boardsync -n feedback -- boardsync status\n");
      expect(notes(least)).toContain("`helm uninstall` leaves it");
      expect(notes(all)).toContain("https://hooks.example.com/webhooks/github");
      expect(notes(all)).not.toContain("volume");
    });

    it("does what its README says, line by line", () => {
      const readme = read(`${place}README.md`);
      const [, example = ""] = /```yaml\n(.*?)```/s.exec(readme) ?? [];
      const lines = [
        ...readme.matchAll(
          /^helm (?:install|upgrade) (\w+) config\/deploy\/helm --values values.yaml (.*)$/gm,
        ),
      ];
      const deployments = lines.map(([, release = "", args = ""]) =>
        objectOf(render(parse(example), release, ...args.split(" ")), "Deployment"),
      );
      expect(deployments).toMatchObject([
        {
          spec: {
            replicas: 1,
            template: { spec: { containers: [{ image: `REGISTRY/boardsync:${version}` }] } },
          },
        },
        { spec: { replicas: 2, strategy: { type: "RollingUpdate" } } },
      ]);
      expect(load(JSON.stringify(parse(example).config)).projects).toHaveLength(1);
      expect(
        objectOf(
          render(parse(example), "boardsync", "--set", "state.volume.keep=false"),
          "PersistentVolumeClaim",
        ),
      ).not.toHaveProperty("metadata.annotations");
    });

    it("says how a person starts the program in the pod", () => {
      expect(environmentOf(render(least, "prod"))["BOARDSYNC_COMMAND"]).toBe(
        "kubectl exec -it deploy/prod-boardsync -n feedback -- boardsync",
      );
    });

    it.each([
      [least, `boardsync:${version}`],
      [{ ...least, image: { repository: "r.example.com/b", tag: "7" } }, "r.example.com/b:7"],
      [all, `${all.image.repository}@${all.image.digest}`],
    ])("runs the image that is asked for", (given, name) => {
      expect(at(objectOf(render(given), "Deployment"), ...podPath, "containers", 0)["image"]).toBe(name);
    });
  },
);
