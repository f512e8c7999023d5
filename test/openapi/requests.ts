import { objectOf } from "../contract/rest/client.ts";
import { arrayOf, type Json, type OpenApiDocument, type Operation } from "./document.ts";

/** A request that the document's examples make up. */
export interface ExampleRequest {
  readonly operation: Operation;
  /** The media type of the body; undefined without one. */
  readonly mediaType: string | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
}

export interface Settings {
  /** Also what may be left out. */
  readonly everything: boolean;
  /** Puts a caller's own in the place of an example. */
  readonly place: (text: string) => string;
  /** The content in place of a file. */
  readonly file: Blob;
}

/** The requests of an operation: one for each media type of its body, and for each way to say what a document is. */
export function requestsOf(document: OpenApiDocument, operation: Operation, settings: Settings): ExampleRequest[] {
  const { path, headers } = addressOf(operation, settings);
  const request = { operation, path, headers };
  if (operation.bodies.length === 0) return [{ ...request, mediaType: undefined, body: undefined }];
  return operation.bodies.flatMap(([mediaType, described]): ExampleRequest[] => {
    if (mediaType === "multipart/form-data") {
      const forms = formsOf(document, described, settings);
      return forms.map((body) => ({ ...request, mediaType, body }));
    }
    const body = settings.place(JSON.stringify(jsonOf(document, described, settings)));
    return [{ ...request, mediaType, body, headers: { ...headers, "content-type": mediaType } }];
  });
}

function addressOf({ path, parameters }: Operation, { everything, place }: Settings) {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let filled = path;
  for (const parameter of parameters) {
    if (parameter["required"] !== true && !everything) continue;
    const name = String(parameter["name"]);
    const value = place(asText(parameter["example"] ?? exampleAt(objectOf(parameter["schema"]))));
    if (parameter["in"] === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (parameter["in"] === "query") query.set(name, value);
    else headers[name] = value;
  }
  return { path: query.size === 0 ? filled : `${filled}?${query.toString()}`, headers };
}

function jsonOf(document: OpenApiDocument, { schema, example }: Json, { everything }: Settings): unknown {
  if (!everything) return example;
  const { [ofFile]: sum, ...body } = objectOf(exampleOf(document, schema));
  return body["url"] === undefined && sum !== undefined ? { ...body, [ofFile]: sum } : body;
}

/** Said of a file, and refused of an address. */
const ofFile = "sha256";

function formsOf(document: OpenApiDocument, { schema }: Json, { everything, place, file }: Settings): FormData[] {
  const { properties, required } = document.resolve(schema);
  const fields = Object.entries(objectOf(properties));
  const files = fields.flatMap(([name, described]) => (objectOf(described)["format"] === "binary" ? [name] : []));
  const filled = (names: readonly string[]): FormData => {
    const form = new FormData();
    for (const [name, described] of fields) {
      if (!names.includes(name)) continue;
      for (const value of valuesOf(exampleAt(objectOf(described)))) form.append(name, place(value));
    }
    return form;
  };
  const hasUrl = files.length > 0 && fields.some(([name]) => name === "url");
  const wanted = everything ? fields.map(([name]) => name) : arrayOf(required).map(String);
  const others = wanted.filter((name) => !files.includes(name) && !(hasUrl && name === "url"));
  const withFile = filled(others);
  // Last, so that the fields are known when the file comes.
  for (const name of files) withFile.append(name, file, "report.pdf");
  return hasUrl ? [withFile, filled([...others.filter((name) => name !== ofFile), "url"])] : [withFile];
}

/** An example of the value that a schema describes. */
export function exampleOf(document: OpenApiDocument, schema: unknown): unknown {
  const described = objectOf(schema);
  if (described["examples"] !== undefined) return exampleAt(described);
  const { type, items, properties, ...resolved } = document.resolve(described);
  if (type === "array") return [exampleOf(document, items)];
  if (type === "object") {
    const entries = Object.entries(objectOf(properties));
    return Object.fromEntries(entries.map(([name, property]) => [name, exampleOf(document, property)]));
  }
  throw new Error(`no example: ${JSON.stringify({ ...described, ...resolved })}`);
}

function exampleAt(schema: Json): unknown {
  const [example] = arrayOf(schema["examples"]);
  if (example === undefined) throw new Error(`no example: ${JSON.stringify(schema)}`);
  return example;
}

/** Returns a parameter as text; lists are separated by commas. */
const asText = (value: unknown): string => valuesOf(value).join(",");

const valuesOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [String(value)]);
