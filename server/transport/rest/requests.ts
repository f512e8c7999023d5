import { create, type DescMessage, type JsonValue, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { invalid, tooLarge, unsupported } from "../../domain/errors.ts";
import { bodyOf, type NodeRequest } from "../http/exchange.ts";
import { collectParameters, findField, isObject, type Parameters, readMessage, unknownName } from "./json.ts";
import { type FormPart, readParts } from "./multipart.ts";
import type { Match } from "./routes.ts";

/** JSON bodies are small, except a search with a picture in base64. */
export const maxJsonBytes = 32 * 2 ** 20;

/** Reads the one message of a unary or server-streaming request from path, query and body. */
export async function readRequest(match: Match, request: NodeRequest, query: URLSearchParams): Promise<Message> {
  const { input } = match.route.method;
  const type = bodyType(match, request);
  const parameters = collectParameters(input, type === "none" ? "parameter" : "field");
  putPath(match, parameters);
  const inPath = Object.keys(parameters.json);
  if (type !== "none") refuseQuery(match, query);
  else {
    for (const [name, value] of query) {
      if (!inPath.includes(findField(input, name)?.jsonName ?? "")) parameters.put(name, value);
    }
    return readMessage(input, parameters.json);
  }
  if (type === "json") return readMessage(input, { ...(await readJson(match, request)), ...parameters.json });
  for await (const part of readParts(request.headers["content-type"] ?? "", gather(bodyOf(request)))) {
    if (part.kind === "file") throw invalid(`the form field ${part.name} must be text, not a file`);
    if (!inPath.includes(findField(input, part.name)?.jsonName ?? "")) parameters.put(part.name, part.value);
  }
  return readMessage(input, parameters.json);
}

/**
 * Yields the messages of a client-streaming request. The fields of the path come first. In a form, each field and each
 * piece of the file is one message, in order; a JSON body is one message. The bytes of a piece are valid until the next
 * message is asked for; code that keeps them has to copy them.
 */
export async function* readRequests(
  match: Match,
  request: NodeRequest,
  query: URLSearchParams,
): AsyncGenerator<Message> {
  const { method, rules } = match.route;
  refuseQuery(match, query);
  const all = collectParameters(method.input);
  putPath(match, all);
  if (bodyType(match, request) !== "form") {
    yield readMessage(method.input, { ...(await readJson(match, request)), ...all.json });
    return;
  }
  if (match.params.length > 0) yield readMessage(method.input, { ...all.json });
  for await (const part of readParts(request.headers["content-type"] ?? "", gather(bodyOf(request)))) {
    if (part.kind === "file") yield* readFile(method.input, rules.file, part);
    else if (part.name === rules.file) throw invalid(`send ${part.name} as a file: curl -F ${part.name}=@NAME`);
    else {
      // `all` collects the fields so far to find duplicates; the message has only the new field.
      all.put(part.name, part.value);
      const one = collectParameters(method.input);
      one.put(part.name, part.value);
      yield readMessage(method.input, one.json);
    }
  }
}

async function* readFile(
  desc: DescMessage,
  fileField: string,
  part: FormPart & { kind: "file" },
): AsyncGenerator<Message> {
  if (part.name !== fileField) throw invalid(`send the file as the form field ${fileField}, not ${part.name}`);
  const field = findField(desc, fileField);
  if (field?.fieldKind !== "scalar") throw new Error(`${desc.typeName} has no field ${fileField} for a file`);
  // Signals to the implementation that there is a file, even if it is empty.
  yield readMessage(desc, { fileName: part.fileName });
  for await (const bytes of part.bytes) {
    const message = create(desc);
    reflect(desc, message).set(field, bytes);
    yield message;
  }
}

/** Refuses a query in a request with a body, since it would be ignored. */
function refuseQuery({ route }: Match, query: URLSearchParams): void {
  const { input } = route.method;
  for (const name of query.keys()) {
    const field = findField(input, name);
    if (field === undefined) throw unknownName(input, name, { kind: "parameter" });
    throw invalid(`${field.jsonName} belongs into the body of this request, not into its address`);
  }
}

function putPath({ params }: Match, parameters: Parameters): void {
  for (const [name, value] of params) parameters.json[name] = value;
}

/** The type that the body is read as. Throws `unsupported` for other types. */
function bodyType({ route }: Match, { headers }: NodeRequest): "none" | "json" | "form" {
  if (route.rule.body === "") return "none";
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity")
    throw unsupported(`Content-Encoding ${encoding} is not supported; send the body as it is`);
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "multipart/form-data") return "form";
  if (type === "" || type === "application/json" || type.endsWith("+json")) return "json";
  // The type of an empty body does not matter: `curl -X POST -d ''` sends one all the same.
  if (headers["content-length"] === "0") return "json";
  const wanted = route.rules.file === "" ? "application/json" : "multipart/form-data";
  throw unsupported(`Content-Type ${type} is not supported here; send ${wanted}`);
}

async function readJson({ route: { rule } }: Match, request: NodeRequest): Promise<Record<string, JsonValue>> {
  const text = await readText(request);
  if (text.trim() === "") return {};
  const json = parseJson(text);
  if (rule.body !== "*") return { [rule.body]: json };
  if (!isObject(json)) throw invalid("the body must be a JSON object");
  return json;
}

function parseJson(text: string): JsonValue {
  try {
    const json: JsonValue = JSON.parse(text);
    return json;
  } catch (cause) {
    throw invalid(`the body is not valid JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

async function readText(request: NodeRequest): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bodyOf(request)) {
    length += chunk.length;
    if (length > maxJsonBytes) throw tooLarge(`a JSON body may have at most ${maxJsonBytes / 2 ** 20} MB`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw invalid("the body is not valid UTF-8", { cause });
  }
}

/** A good size of writes for a disk. */
const pieceBytes = 256 * 1024;
/** More bytes than it takes to see that a file will be refused. */
const headBytes = 4 * 1024;
/**
 * Maximum number of spare buffers: the number of concurrent uploads that is usual all day. Further uploads allocate
 * memory when they begin.
 */
const maxSpares = 16;

/** Buffers of uploads that have ended. */
const spares: Buffer[] = [];

/**
 * Gathers the chunks of a body into larger pieces, since every piece has a cost on its way to the store, whatever its
 * size. Only the first bytes are passed on as they come, because they may be a reason to refuse the rest. The memory
 * of the chunks is freed at once and that of the pieces is reused: a piece is valid until the next is asked for, or
 * the iteration ends. If the garbage collector had to free the memory of a fast upload, it would walk the whole heap
 * every few megabytes, which costs more than all the work with the bytes.
 */
export async function* gather(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const piece = spares.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
  let headLeft = headBytes;
  let length = 0;
  try {
    for await (const chunk of chunks) {
      const head = Buffer.from(chunk.subarray(0, headLeft));
      headLeft -= head.length;
      if (head.length > 0) yield head;
      for (let taken = head.length; taken < chunk.length;) {
        const added = chunk.subarray(taken, taken + pieceBytes - length);
        piece.set(added, length);
        taken += added.length;
        length += added.length;
        if (length < pieceBytes) continue;
        yield piece;
        length = 0;
      }
      free(chunk);
    }
    if (length > 0) yield piece.subarray(0, length);
  } finally {
    if (spares.length < maxSpares) spares.push(piece);
  }
}

/** Frees the memory of a chunk at once if it belongs to the chunk alone. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
