import { objectOf } from "../contract/rest/client.ts";
import { arrayOf, type Json, type OpenApiDocument, type Operation } from "./document.ts";

/** A request that the document's examples make up. */
export interface ExampleRequest {
  readonly operation: Operation;
  /** Of the body; undefined without one. */
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
  /** What goes for the bytes of a file. */
  readonly file: Blob;
}

/** The requests of an operation, one for each media type of its body. */
export function requestsOf(document: OpenApiDocument, operation: Operation, settings: Settings): ExampleRequest[] {
  const { path, headers } = addressOf(operation, settings);
  const request = { operation, path, headers };
  if (operation.bodies.length === 0) return [{ ...request, mediaType: undefined, body: undefined }];
  return operation.bodies.map(([mediaType, described]) => {
    if (mediaType === "multipart/form-data") {
      return { ...request, mediaType, body: formOf(document, described, settings) };
    }
    const body = settings.place(JSON.stringify(jsonOf(document, described, settings)));
    return { ...request, mediaType, body, headers: { ...headers, "content-type": mediaType } };
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
  return { path: query.size === 0 ? filled : `${filled}?${query}`, headers };
}

function jsonOf(document: OpenApiDocument, { schema, example }: Json, { everything }: Settings): unknown {
  return everything ? exampleOf(document, schema) : example;
}

function formOf(document: OpenApiDocument, { schema }: Json, { everything, place, file }: Settings): FormData {
  const form = new FormData();
  const { properties, required } = document.resolve(schema);
  const files: string[] = [];
  for (const [name, described] of Object.entries(objectOf(properties))) {
    const { format, examples } = objectOf(described);
    if (format === "binary") files.push(name);
    // A document comes as a file or from an address.
    else if (everything ? name !== "url" : arrayOf(required).includes(name)) {
      for (const value of valuesOf(arrayOf(examples)[0])) form.append(name, place(value));
    }
  }
  // Last, so that the fields are known when the file comes.
  for (const name of files) form.append(name, file, "report.pdf");
  return form;
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

/** Of a parameter; a list is separated by commas. */
const asText = (value: unknown): string => valuesOf(value).join(",");

const valuesOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [String(value)]);
