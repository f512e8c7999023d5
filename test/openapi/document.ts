import { objectOf } from "../contract/rest/client.ts";

export type Json = Readonly<Record<string, unknown>>;

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly id: string;
  readonly verb: string;
  readonly path: string;
  readonly tag: string;
  readonly parameters: readonly Json[];
  /** Schema and example of the request body by media type, in the document's order. */
  readonly bodies: readonly (readonly [mediaType: string, body: Json])[];
  /** By status. */
  readonly answers: Json;
}

export interface OpenApiDocument {
  readonly json: Json;
  readonly operations: readonly Operation[];
  /** The schema, or what it refers to. */
  resolve(schema: unknown): Json;
}

export async function fetchDocument(url: string): Promise<OpenApiDocument> {
  const json = objectOf(await (await fetch(`${url}/v1/openapi.json`)).json());
  const operations = Object.entries(objectOf(json["paths"])).flatMap(([path, verbs]) =>
    Object.entries(objectOf(verbs)).map(([verb, described]) => operationOf(verb, path, objectOf(described))),
  );
  return { json, operations, resolve: (schema) => resolve(json, objectOf(schema)) };
}

function operationOf(verb: string, path: string, described: Json): Operation {
  const [tag] = arrayOf(described["tags"]);
  const content = described["requestBody"] === undefined ? {} : objectOf(described["requestBody"])["content"];
  return {
    id: String(described["operationId"]),
    verb: verb.toUpperCase(),
    path,
    tag: String(tag),
    parameters: arrayOf(described["parameters"]).map(objectOf),
    bodies: Object.entries(objectOf(content)).map(([type, body]) => [type, objectOf(body)]),
    answers: objectOf(described["responses"]),
  };
}

function resolve(document: Json, schema: Json): Json {
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  const steps = $ref.replace("#/", "").split("/");
  return resolve(document, objectOf(steps.reduce<unknown>((at, step) => objectOf(at)[step], document)));
}

export function arrayOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`);
  return value;
}
