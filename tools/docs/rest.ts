import { readFileSync } from "node:fs";
import { code, codes, prose, table } from "./markdown.ts";

/** The parts of the OpenAPI document that the reference uses; `npm run generate` writes it from the services' definitions. */
interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Schema & {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Returns all REST requests by section, then the objects in requests and answers. */
export function restReference(): string {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the document is made by tools/openapi
  const { tags, paths, components } = JSON.parse(
    readFileSync("clients/typescript/gen/openapi.json", "utf8"),
  ) as Document;
  const operations = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ name: `${verb.toUpperCase()} ${path}`, operation })),
  );
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return [`## ${name}`, prose(description), ...own.map(operationText)].join("\n\n");
  });
  const objects = Object.entries(components.schemas).map(([name, schema]) => objectText(name, schema));
  return [...sections, "## Objects", ...objects].join("\n\n");
}

function operationText({ name, operation }: { readonly name: string; readonly operation: Operation }): string {
  const { summary, description = "", parameters = [], requestBody, responses } = operation;
  const headers = parameters.filter(({ in: place }) => place === "header").map(({ name }) => name);
  const rows = parameters
    .filter(({ name }) => !headers.includes(name))
    .map((parameter) => [
      code(parameter.name),
      `${parameter.in}${parameter.required === true ? ", required" : ""}`,
      typeOf(parameter.schema),
      prose(parameter.description ?? ""),
    ]);
  const bodies = Object.entries(requestBody?.content ?? {});
  const [body] = bodies.map(([, { schema }]) => schema);
  const answer = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const errors = Object.keys(responses).filter((status) => status >= "4");
  return [
    `### ${code(name)}`,
    `${prose(summary)}. ${prose(description)}`.trim(),
    rows.length + fieldsOf(body).length === 0
      ? ""
      : table(["name", "in", "type", "meaning"], [...rows, ...fieldsOf(body).map((field) => fieldRow(field, "body"))]),
    [
      ...(bodies.length === 0 ? [] : [`Body: ${codes(bodies.map(([type]) => type))}.`]),
      `Answer: ${answerText(answer?.content ?? {})}.`,
      ...(headers.length === 0 ? [] : [`Headers: ${codes(headers)}.`]),
      `Errors: ${errors.join(", ")}.`,
    ].join(" "),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Returns the type of an answer's data, without the envelope: `success`, and the `total` of lists. */
function answerText(content: Content): string {
  const [type, first] = Object.entries(content)[0] ?? [];
  if (type === undefined || first === undefined) return "empty";
  if (type !== "application/json") return codes(Object.keys(content));
  const { schema } = first;
  const whole = schema.allOf?.find(({ $ref }) => $ref !== undefined) ?? schema;
  return typeOf(whole.properties?.["data"] ?? whole);
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

function fieldsOf(schema: Schema | undefined): Field[] {
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    name,
    schema: field,
    required: schema?.required?.includes(name) === true,
  }));
}

function fieldRow({ name, schema, required }: Field, place?: string): string[] {
  const meaning = prose(schema.description ?? "");
  if (place === undefined) return [code(name), typeOf(schema), meaning];
  return [code(name), `${place}${required ? ", required" : ""}`, typeOf(schema), meaning];
}

function objectText(name: string, schema: Schema): string {
  const fields = fieldsOf(schema);
  return [
    `### ${name}`,
    prose(schema.description ?? ""),
    fields.length === 0
      ? ""
      : table(
          ["field", "type", "meaning"],
          fields.map((field) => fieldRow(field)),
        ),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Returns a type in words, such as `[Job](#job)`, `integer or null` or `array of string`. */
function typeOf(schema: Schema): string {
  const { $ref, type, items, anyOf, oneOf } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(" or ");
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined && type === "string") return schema.enum.map((value) => code(String(value))).join(", ");
  if (items !== undefined) return `array of ${typeOf(items)}`;
  return [type ?? "any"].flat().join(" or ");
}
