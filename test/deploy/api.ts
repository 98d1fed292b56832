import {
  PrometheusRule,
  ServiceMonitor,
} from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1";
import { Deployment } from "kubernetes-models/apps/v1";
import { CronJob } from "kubernetes-models/batch/v1";
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, PersistentVolumeClaim, Secret, Service, ServiceAccount } from "kubernetes-models/v1";

/** Kubernetes' own OpenAPI description, and the CRDs of the Prometheus Operator, as compiled validators. */
const validators = new Map<string, () => void>(
  [
    ["v1", { ConfigMap, PersistentVolumeClaim, Secret, Service, ServiceAccount }] as const,
    ["apps/v1", { Deployment }] as const,
    ["batch/v1", { CronJob }] as const,
    ["networking.k8s.io/v1", { Ingress, NetworkPolicy }] as const,
    ["policy/v1", { PodDisruptionBudget }] as const,
    ["monitoring.coreos.com/v1", { PrometheusRule, ServiceMonitor }] as const,
  ].flatMap(([version, kinds]) =>
    Object.entries(kinds).map(([kind, model]) => [`${version} ${kind}`, model.prototype.validate] as const),
  ),
);

/**
 * What the API does not take of an object, one line each: a wrong type or value, a missing field, and a field that there
 * is not (which the API server drops, or refuses where it is asked to be strict). None: it is a valid object.
 */
export function problemsOfObject(object: object): readonly string[] {
  const { apiVersion, kind } = Object(object);
  const validate = validators.get(`${apiVersion} ${kind}`);
  if (validate === undefined) return [`there is no kind ${kind} in ${apiVersion}`];
  const read = new Set<string>();
  try {
    validate.call(watch(object, "", read));
  } catch (fault) {
    return [String(Object(fault).message)];
  }
  return fieldsOf(object, "")
    .filter((path) => !read.has(path))
    .map((path) => `${path} is no field of ${kind}`);
}

/**
 * The same value, which notes what is read of it. A compiled validator reads every field that its schema has, and none
 * that it has not.
 */
function watch<T extends object>(value: T, path: string, read: Set<string>): T {
  return new Proxy(value, {
    get(target, key) {
      const inner: unknown = Reflect.get(target, key);
      if (typeof key === "symbol" || !Object.hasOwn(target, key)) return inner;
      read.add(`${path}/${key}`);
      return typeof inner === "object" && inner !== null ? watch(inner, `${path}/${key}`, read) : inner;
    },
  });
}

function fieldsOf(value: object, path: string): readonly string[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const own = `${path}/${key}`;
    return typeof inner === "object" && inner !== null ? [own, ...fieldsOf(inner, own)] : [own];
  });
}
