import { parse } from "yaml";
import { read } from "../files.ts";
import { folder } from "../sample.ts";
import { type Manifest, render, type Values } from "./helm.ts";

/** The chart's folder, below the checkout. */
export const place = `${folder}helm/`;

/** The chart's defaults. */
export const values: Values = parse(read(`${place}values.yaml`));

/** The config in the comment of `values.yaml`: its lines are those that begin with `#` and three blanks. */
export const config = parse(
  (read(`${place}values.yaml`).match(/^# {3}.*$/gm) ?? []).map((line) => line.slice(4)).join("\n"),
).config;

/** The least that has to be given. */
export const least = { config };
const postgres = { config, state: { kind: "postgres" }, replicas: 3 };
/** To sign in as a GitHub App. */
export const app = { githubAppId: { name: "app" }, githubAppPrivateKey: { name: "app", key: "pem" } };

/** Every option. */
export const all = {
  ...postgres,
  secrets: {
    ...app,
    stateUrl: { name: "db-app", key: "uri" },
    httpToken: { name: "page" },
    httpReadToken: { name: "page" },
  },
  webhooks: {
    enabled: true,
    ingress: {
      enabled: true,
      className: "nginx",
      host: "hooks.example.com",
      tlsSecret: "hooks-tls",
      annotations: { a: "b" },
    },
  },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  prometheusRule: { enabled: true, labels: { release: "prometheus" } },
  networkPolicy: {
    enabled: true,
    httpFrom: ["monitoring"],
    webhooksFrom: ["ingress-nginx"],
    egressPorts: [443, 3128],
  },
  service: { type: "NodePort", port: 80, annotations: { a: "b" } },
  image: { repository: "ghcr.io/acme/boardsync", digest: `sha256:${"0123456789abcdef".repeat(4)}` },
  imagePullSecrets: [{ name: "registry" }],
  serviceAccount: { annotations: { a: "b" } },
  podAnnotations: { a: "b" },
  nodeSelector: { disk: "ssd" },
  tolerations: [{ key: "a", operator: "Exists" }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  extraEnv: [
    { name: "NODE_EXTRA_CA_CERTS", value: "/ca/ca.crt" },
    { name: "PORT", value: 8080 },
    { name: "MANY", value: 1_000_000 },
    { name: "ON", value: true },
    { name: "WORD", value: "yes" },
    { name: "KEY", valueFrom: { secretKeyRef: { name: "a", key: "b" } } },
  ],
  extraVolumes: [{ name: "ca", configMap: { name: "ca" } }],
  extraVolumeMounts: [{ name: "ca", mountPath: "/ca", readOnly: true }],
  fullnameOverride: "feedback",
};

export const cases = new Map<string, Values>([
  ["SQLite, the default", least],
  ["PostgreSQL with three replicas", postgres],
  ["every option, on PostgreSQL", all],
  [
    "every option, on SQLite",
    { ...all, state: { volume: { storageClass: "fast", keep: false } }, replicas: 1 },
  ],
  ["a GitHub App", { config, secrets: app }],
  [
    "a claim and a ConfigMap that exist",
    { existingConfigMap: "mine", state: { volume: { existingClaim: "old" } } },
  ],
  ["a policy that lets nobody in", { config, networkPolicy: { enabled: true } }],
]);

/** The object of a kind; an empty one where there is none. */
export function objectOf(objects: readonly Manifest[], kind: string): Record<string, unknown> {
  return Object(objects.find((one) => one.kind === kind));
}

/** A value inside of a value; an empty object where there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): Record<string, unknown> {
  return Object(path.reduce<unknown>((inner, step) => Object(inner)[step], value));
}

export function list(
  value: unknown,
  ...path: readonly (string | number)[]
): readonly Record<string, unknown>[] {
  return Object.values(at(value, ...path)).map(Object);
}

const rendered = new Map<Values, readonly Manifest[]>();

/** Objects of one of the cases, rendered once. */
export function objectsOf(given: Values): readonly Manifest[] {
  const objects = rendered.get(given) ?? render(given);
  rendered.set(given, objects);
  return objects;
}

/** Where a Deployment has its pod. */
export const podPath = ["spec", "template", "spec"] as const;

/** The variables of the pod's container. */
export function environmentOf(objects: readonly Manifest[]): Readonly<Record<string, string>> {
  const env = list(objectOf(objects, "Deployment"), ...podPath, "containers", 0, "env");
  return Object.fromEntries(env.map(({ name, value }) => [String(name), String(value)]));
}

/** Where the pod finds which key of which Secret, as `SECRET/KEY`. */
export function filesOf(objects: readonly Manifest[]): Readonly<Record<string, string>> {
  const pod = at(objectOf(objects, "Deployment"), ...podPath);
  const mount = list(pod, "containers", 0, "volumeMounts").find(({ name }) => name === "secrets");
  const volume = list(pod, "volumes").find(({ name }) => name === "secrets");
  const files = list(volume, "projected", "sources").flatMap(({ secret }) =>
    list(secret, "items").map(({ key, path }) => [
      `${mount?.["mountPath"]}/${path}`,
      `${at(secret)["name"]}/${key}`,
    ]),
  );
  return Object.fromEntries(files);
}
