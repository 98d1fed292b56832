import type { Answer } from "../../loopback/loopback.ts";
import { findLabel, findType } from "../state/changes.ts";
import { type Call, type FieldError, invalid, refuse } from "./answer.ts";

const maxBodyCharacters = 65_536;
const maxTitleCharacters = 256;
const maxLabelCharacters = 50;
const maxLabels = 100;

/** Whether the caller may label, assign and close. */
export function canPush(call: Call): boolean {
  return call.isApp || call.repository.collaborators.has(call.account);
}

/** The refusal of any write to this repository's issues, if there is one. */
export function refuseWrite({ repository }: Call): Answer | undefined {
  if (repository.isArchived) return refuse(403, "Repository was archived so is read-only.");
  if (!repository.hasIssues) return refuse(410, "Issues are disabled for this repo");
  return undefined;
}

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isTextOrNumber,
  body: (value) => value === null || typeof value === "string",
  milestone: (value) => value === null || isTextOrNumber(value),
  type: (value) => value === null || typeof value === "string",
  labels: (value) => Array.isArray(value) && value.every((label) => labelName(label) !== undefined),
  assignees: (value) => Array.isArray(value) && value.every((login) => typeof login === "string"),
  state: (value) => value === "open" || value === "closed",
  description: (value) => value === null || typeof value === "string",
  due_on: (value) => value === null || !Number.isNaN(Date.parse(String(value))),
  state_reason: (value) =>
    value === null || ["completed", "not_planned", "duplicate", "reopened"].includes(String(value)),
};

/** The refusal of fields whose type is wrong: a 422 without `errors`, as GitHub's schema check gives it. */
export function refuseKinds({ body }: Call): Answer | undefined {
  for (const [name, value] of Object.entries(body)) {
    const isRight = kinds[name];
    if (isRight !== undefined && !isRight(value)) {
      return refuse(422, `Invalid request.\n\nFor 'properties/${name}', the value is not allowed.`);
    }
  }
  return undefined;
}

/** The refusal of a title or a body that is empty where it must not be, or too long. */
export function refuseTexts({ body }: Call): Answer | undefined {
  const { title, body: text } = body;
  if (title !== undefined && String(title).trim() === "") {
    return invalid({ resource: "Issue", field: "title", code: "missing_field" });
  }
  return refuseLength("title", title, maxTitleCharacters) ?? refuseLength("body", text, maxBodyCharacters);
}

/** The refusal of a text of an issue that is too long, counted in characters. */
function refuseLength(field: string, value: unknown, maximum: number): Answer | undefined {
  if (typeof value !== "string" || [...value].length <= maximum) return undefined;
  const message = `${field} is too long (maximum is ${maximum} characters)`;
  return invalid({ resource: "Issue", code: "custom", field, message });
}

/** The refusal of labels, assignees, a milestone or a type that can't be. Only callers who may push hear of it. */
export function refuseReferences(call: Call, labelsNow: readonly string[] = []): Answer | undefined {
  if (!canPush(call)) return undefined;
  const { repository, body } = call;
  const errors: FieldError[] = [];
  for (const login of logins(body)) {
    if (!repository.collaborators.has(login)) {
      errors.push({ value: login, resource: "Issue", field: "assignees", code: "invalid" });
    }
  }
  const { milestone, type } = body;
  if (milestone !== undefined && milestone !== null && !repository.milestones.has(Number(milestone))) {
    errors.push({ value: milestone, resource: "Issue", field: "milestone", code: "invalid" });
  }
  if (typeof type === "string" && findType(repository, type) === undefined) {
    errors.push({ value: type, resource: "Issue", field: "type", code: "invalid" });
  }
  if (errors.length > 0) return invalid(...errors);
  return refuseLabels(labelNames(body), labelsNow);
}

/** The refusal of label names that are too long, or of more labels than an issue may have. */
export function refuseLabels(names: readonly string[], labelsNow: readonly string[]): Answer | undefined {
  const long = names.find((name) => [...name].length > maxLabelCharacters || name.trim() === "");
  if (long !== undefined) {
    return invalid({ value: long, resource: "Label", field: "name", code: "invalid" });
  }
  const all = new Set([...names, ...labelsNow].map((name) => name.toLowerCase()));
  if (all.size <= maxLabels) return undefined;
  const message = "Issues cannot have more than 100 labels";
  return invalid({ resource: "Issue", field: "labels", code: "custom", message });
}

/** The refusal of a new label of the repository. */
export function refuseNewLabel({ repository, body }: Call): Answer | undefined {
  const name = typeof body["name"] === "string" ? body["name"] : "";
  if (name.trim() === "") return invalid({ resource: "Label", field: "name", code: "missing_field" });
  if ([...name].length > maxLabelCharacters) {
    const message = `name is too long (maximum is ${maxLabelCharacters} characters)`;
    return invalid({ resource: "Label", field: "name", code: "custom", message });
  }
  if (findLabel(repository, name)) {
    return invalid({ resource: "Label", field: "name", code: "already_exists" });
  }
  const color = body["color"] ?? "ededed";
  if (typeof color !== "string" || !/^[0-9a-f]{6}$/iu.test(color)) {
    return invalid({ resource: "Label", field: "color", code: "invalid" });
  }
  return undefined;
}

/** Names in `labels`, each given as text or as an object with a name. */
export function labelNames(body: Call["body"]): readonly string[] {
  const labels: readonly unknown[] = Array.isArray(body["labels"]) ? body["labels"] : [];
  return labels.map(labelName).filter((name) => name !== undefined);
}

/** Logins in `assignees`. */
export function logins(body: Call["body"]): readonly string[] {
  const assignees: readonly unknown[] = Array.isArray(body["assignees"]) ? body["assignees"] : [];
  return assignees.filter((login) => typeof login === "string");
}

function labelName(label: unknown): string | undefined {
  if (typeof label === "string") return label;
  if (typeof label !== "object" || label === null || !("name" in label)) return undefined;
  return typeof label.name === "string" ? label.name : undefined;
}

function isTextOrNumber(value: unknown): boolean {
  return typeof value === "string" || Number.isInteger(value);
}
