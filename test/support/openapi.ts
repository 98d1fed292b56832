import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { checkQuery } from "./graphql.ts";

/** A request to GitHub's API, as the sandbox logs it: `path` is below the API's root and without query. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Compares traffic with GitHub's own OpenAPI description. Problems are sentences; none means that it agrees. */
export interface OpenApiValidator {
  /** The path, the query's names and values, and the body. */
  checkRequest(request: ApiRequest): readonly string[];
  /** The status and the JSON body (undefined without one) of the answer to a request. */
  checkAnswer(request: ApiRequest, status: number, body: unknown): readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly label: string;
  /** Parts of the path by the names that the description gives them. */
  readonly parts: Readonly<Record<string, string>>;
  readonly parameters: readonly Json[];
  readonly body: { readonly isRequired: boolean; readonly schema: Json } | undefined;
  readonly responses: Json;
}

/** Paths that GitHub redirects to and that its description leaves out are those of the repository itself. */
const byId = /^\/repositories\/\d+/u;

/** Cursors stand in GitHub's `Link` headers of every paged list, but not in the description. */
const cursors = new Set(["after", "before"]);

let shared: OpenApiValidator | undefined;

/** Problems of all requests, GraphQL's too, in their order. The description is loaded at the first call. */
export function validateRequests(requests: readonly ApiRequest[]): readonly string[] {
  shared ??= createOpenApiValidator();
  const { checkRequest } = shared;
  return requests.flatMap((request) =>
    request.path.endsWith("/graphql") ? checkQuery(request) : checkRequest(request),
  );
}

/**
 * A validator for api.github.com. Loading its 13 MB takes about 0.4 s, so keep one per test file; a schema is compiled
 * when it is first needed, each in some 20 ms.
 */
export function createOpenApiValidator(): OpenApiValidator {
  const description = loadDescription();
  const paths = readPaths(description);
  const compile = createCompiler(description);

  function checkRequest(request: ApiRequest): readonly string[] {
    const operation = findOperation(description, paths, request);
    if (operation === undefined) return [`${request.method} ${request.path} is not in the description`];
    return [...checkParameters(operation, request, compile), ...checkBody(operation, request, compile)];
  }

  function checkAnswer(request: ApiRequest, status: number, body: unknown): readonly string[] {
    const operation = findOperation(description, paths, request);
    if (operation === undefined) return [`${request.method} ${request.path} is not in the description`];
    const label = `${operation.label} → ${status}`;
    // A conditional request may go to any path, though the description lists 304 for a few only.
    if (status === 304) return body === undefined ? [] : [`${label} has a body`];
    const response = resolve(description, operation.responses[String(status)]);
    if (response === undefined && status < 300) return [`${label} is not documented`];
    const schema = response ? jsonSchema(response) : { $ref: "#/components/schemas/basic-error" };
    if (schema === undefined) return body === undefined ? [] : [`${label} has a body`];
    return problems(label, compile(label, schema), body);
  }

  return { checkRequest, checkAnswer };
}

function loadDescription(): Json {
  const file = new URL("../../node_modules/@octokit/openapi/generated/api.github.com.json", import.meta.url);
  return record(JSON.parse(readFileSync(fileURLToPath(file), "utf8")));
}

type Compile = (label: string, schema: Json) => ValidateFunction;

/** Compiles schemas of the description, once each, with what they refer to. */
function createCompiler(description: Json): Compile {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  addFormats.default(ajv);
  const compiled = new Map<string, ValidateFunction>();
  return (label, schema) => {
    const known = compiled.get(label);
    if (known) return known;
    const components: Record<string, unknown> = {};
    const root = record(toJsonSchema(schema));
    collect(description, root, components);
    const validate = ajv.compile({ ...root, components: { schemas: components } });
    compiled.set(label, validate);
    return validate;
  };
}

/** Adds every named schema that a schema refers to, however indirectly. */
function collect(description: Json, schema: unknown, into: Record<string, unknown>): void {
  if (Array.isArray(schema)) {
    for (const part of schema) collect(description, part, into);
    return;
  }
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key !== "$ref" || typeof value !== "string") {
      collect(description, value, into);
      continue;
    }
    const name = value.replace("#/components/schemas/", "");
    if (name in into) continue;
    into[name] = toJsonSchema(resolve(description, { $ref: value }));
    collect(description, into[name], into);
  }
}

/** OpenAPI 3.0 says `nullable` where JSON Schema has a type `null`; what only documents is dropped. */
function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !key.startsWith("x-") && key !== "example" && key !== "discriminator")
      .map(([key, value]) => [key, toJsonSchema(value)]),
  );
  return nullable === true ? { anyOf: [{ type: "null" }, rest] } : rest;
}

/** A path of the description, taken apart once: there are hundreds. */
interface PathTemplate {
  readonly template: string;
  readonly wanted: readonly string[];
  readonly operations: Json;
}

function readPaths(description: Json): readonly PathTemplate[] {
  return Object.entries(record(description["paths"])).map(([template, operations]) => ({
    template,
    wanted: template.split("/"),
    operations: record(operations),
  }));
}

function findOperation(
  description: Json,
  paths: readonly PathTemplate[],
  { method, path }: ApiRequest,
): Operation | undefined {
  const given = path.replace(byId, "/repos/owner/repo").split("/");
  const verb = method.toLowerCase();
  const found = paths
    .filter(({ operations }) => verb in operations)
    .map(({ template, wanted, operations }) => ({ template, operations, parts: matchPath(wanted, given) }));
  // A template with fewer parts in braces is the nearer one: /issues/comments before /issues/{issue_number}.
  const [nearest] = found
    .filter(({ parts }) => parts !== undefined)
    .toSorted((a, b) => Object.keys(a.parts ?? {}).length - Object.keys(b.parts ?? {}).length);
  if (nearest === undefined) return undefined;
  const operation = record(nearest.operations[verb]);
  const requestBody = resolve(description, operation["requestBody"]);
  const schema = requestBody && jsonSchema(requestBody);
  return {
    label: `${method} ${nearest.template}`,
    parts: nearest.parts ?? {},
    parameters: list(operation["parameters"]).map((parameter) => resolve(description, parameter) ?? {}),
    body: schema && { isRequired: requestBody["required"] === true, schema },
    responses: record(operation["responses"]),
  };
}

function matchPath(
  wanted: readonly string[],
  given: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (wanted.length !== given.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith("{") && value !== "") parts[part.slice(1, -1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return parts;
}

function checkParameters(operation: Operation, request: ApiRequest, compile: Compile): readonly string[] {
  const { label, parameters, parts } = operation;
  const inQuery = parameters.filter((parameter) => parameter["in"] === "query");
  const isPaged = inQuery.some((parameter) => parameter["name"] === "per_page");
  const names = new Set(inQuery.map((parameter) => parameter["name"]));
  const unknown = Object.keys(request.query)
    .filter((name) => !names.has(name) && !(isPaged && cursors.has(name)))
    .map((name) => `${label}: the query's "${name}" is not in the description`);
  const invalid = parameters.flatMap((parameter) => {
    const name = String(parameter["name"]);
    const isInQuery = parameter["in"] === "query";
    const text = (isInQuery ? request.query : parts)[name];
    const schema = record(parameter["schema"]);
    if (text === undefined) {
      return isInQuery && parameter["required"] === true ? [`${label}: the query lacks "${name}"`] : [];
    }
    const value = schema["type"] === "integer" ? Number(text) : text;
    return problems(`${label}: ${name}`, compile(`${label} ${name}`, schema), value);
  });
  return [...unknown, ...invalid, ...checkPageSize(label, request.query["per_page"])];
}

/** GitHub's words for `per_page` are "max 100"; its schema has no maximum. */
function checkPageSize(label: string, text: string | undefined): readonly string[] {
  const size = Number(text ?? 30);
  return size >= 1 && size <= 100 ? [] : [`${label}: per_page must be from 1 to 100`];
}

function checkBody(operation: Operation, { body }: ApiRequest, compile: Compile): readonly string[] {
  const { label, body: wanted } = operation;
  if (wanted === undefined) return body === undefined ? [] : [`${label}: takes no body`];
  if (body === undefined) return wanted.isRequired ? [`${label}: needs a body`] : [];
  const found = problems(`${label}: body`, compile(`${label} body`, wanted.schema), body);
  const properties = bodyProperties(wanted.schema);
  if (properties === undefined || typeof body !== "object" || body === null) return found;
  const unknown = Object.keys(body).filter((name) => !properties.has(name));
  return [...found, ...unknown.map((name) => `${label}: the body's "${name}" is not in the description`)];
}

/** Names that a body may have: GitHub ignores others silently, which for us is a mistake. */
function bodyProperties(schema: Json): ReadonlySet<string> | undefined {
  const variants = [schema, ...list(schema["oneOf"]), ...list(schema["anyOf"])].map(record);
  const names = variants.flatMap((variant) => Object.keys(record(variant["properties"])));
  return names.length === 0 ? undefined : new Set(names);
}

function problems(label: string, validate: ValidateFunction, value: unknown): readonly string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => `${label}${error.instancePath}: ${error.message}`);
}

function jsonSchema(holder: Json): Json | undefined {
  const schema = record(record(holder["content"])["application/json"])["schema"];
  return schema === undefined ? undefined : record(schema);
}

/** The thing itself, or what its `$ref` points at. */
function resolve(description: Json, thing: unknown): Json | undefined {
  if (thing === undefined) return undefined;
  const { $ref } = record(thing);
  if (typeof $ref !== "string") return record(thing);
  return $ref
    .split("/")
    .slice(1)
    .reduce<Json>((place, key) => record(place[key]), description);
}

function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
