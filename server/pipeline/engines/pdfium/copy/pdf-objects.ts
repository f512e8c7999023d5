/** A value of a PDF (ISO 32000-1, 7.3). Numbers, names, strings and keywords are kept as written. */
export type Value = string | Reference | readonly Value[] | Dictionary;

/** Entries by name, including the slash. */
export type Dictionary = ReadonlyMap<string, Value>;

export class Reference {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}

export interface WrittenObject {
  readonly value: Value;
  /** The data of a stream; `value` is its dictionary. */
  readonly data: Buffer | undefined;
}

interface WrittenFile {
  readonly objects: ReadonlyMap<number, WrittenObject>;
  readonly trailer: Dictionary;
}

export const isDictionary = (value: Value | undefined): value is Dictionary => value instanceof Map;
export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

/**
 * Reads a file that PDFium has written. Its table of objects must be complete, and no object may be inside another. Undefined for
 * other files.
 */
export function readWritten(bytes: Buffer): WrittenFile | undefined {
  const start = Number(/startxref\s+(\d+)/.exec(bytes.subarray(-64).toString("latin1"))?.[1] ?? Number.NaN);
  const table = /^xref\s+([^]*?)trailer\s*/.exec(bytes.subarray(start).toString("latin1"));
  if (table === null) return undefined;
  const objects = new Map<number, WrittenObject>();
  for (const [number, offset] of offsetsIn(table[1] ?? "")) {
    const object = readObject(bytes, offset);
    if (object === undefined) return undefined;
    objects.set(number, object);
  }
  const trailer = new Scanner(bytes, start + table[0].length).value();
  return isDictionary(trailer) ? { objects, trailer } : undefined;
}

/** Returns byte offsets by object number: sections of "first count", each with lines of "offset generation n or f". */
function offsetsIn(table: string): ReadonlyMap<number, number> {
  const offsets = new Map<number, number>();
  let next = 0;
  for (const line of table.split(/[\r\n]+/)) {
    const [first = "", second = "", kind] = line.trim().split(/\s+/);
    if (kind === undefined) next = second === "" ? next : Number(first);
    else {
      if (kind === "n") offsets.set(next, Number(first));
      next += 1;
    }
  }
  return offsets;
}

function readObject(bytes: Buffer, offset: number): WrittenObject | undefined {
  const head = /^\s*\d+ \d+ obj\s*/.exec(bytes.subarray(offset, offset + 40).toString("latin1"));
  if (head === null) return undefined;
  const scanner = new Scanner(bytes, offset + head[0].length);
  const value = scanner.value();
  if (value === undefined) return undefined;
  const behind = /^\s*stream\r?\n/.exec(bytes.subarray(scanner.at, scanner.at + 20).toString("latin1"));
  if (behind === null) return { value, data: undefined };
  const length = isDictionary(value) ? Number(value.get("/Length")) : Number.NaN;
  const from = scanner.at + behind[0].length;
  return from + length <= bytes.length ? { value, data: bytes.subarray(from, from + length) } : undefined;
}

/** Maximum nesting; no page has deeper values. */
const maxDepth = 500;
const white = new Set([0, 9, 10, 12, 13, 32]);
const delimiters = new Set(Buffer.from("()<>[]{}/%"));

class Scanner {
  at: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Undefined at the end of a list, or if there is no value. */
  value(depth = 0): Value | undefined {
    this.#skipWhite();
    const [first, second] = [this.#bytes[this.at], this.#bytes[this.at + 1]];
    if (first === undefined || depth > maxDepth) return undefined;
    if (first === code("<") && second === code("<")) return this.#dictionary(depth);
    if (first === code("[")) return this.#list("[", "]", depth);
    if (first === code("(")) return this.#literal();
    if (first === code("<")) return this.#upTo(this.#bytes.indexOf(">", this.at) + 1);
    if (first === code("/")) return this.#word();
    return delimiters.has(first) ? undefined : this.#numberOrReference();
  }

  #list(open: string, close: string, depth: number): readonly Value[] | undefined {
    const found: Value[] = [];
    this.at += open.length;
    for (;;) {
      const value = this.value(depth + 1);
      if (value !== undefined) found.push(value);
      else if (this.#bytes.toString("latin1", this.at, this.at + close.length) === close) {
        this.at += close.length;
        return found;
      } else return undefined;
    }
  }

  #dictionary(depth: number): Dictionary | undefined {
    const list = this.#list("<<", ">>", depth);
    if (list === undefined) return undefined;
    const entries = new Map<string, Value>();
    for (let place = 0; place + 1 < list.length; place += 2) {
      const [key, value] = [list[place], list[place + 1]];
      if (typeof key !== "string" || value === undefined) return undefined;
      entries.set(plainName(key), value);
    }
    return entries;
  }

  #literal(): string {
    const start = this.at;
    let depth = 0;
    do {
      const byte = this.#bytes[this.at];
      if (byte === undefined) break;
      if (byte === code("\\")) this.at += 1;
      if (byte === code("(")) depth += 1;
      if (byte === code(")")) depth -= 1;
      this.at += 1;
    } while (depth > 0);
    return this.#bytes.toString("latin1", start, this.at);
  }

  #numberOrReference(): Value {
    const first = this.#word();
    if (!/^\d+$/.test(first)) return first;
    const reference = /^\s+\d+\s+R(?![^\s()<>[\]{}/%])/.exec(this.#bytes.toString("latin1", this.at, this.at + 20));
    if (reference === null) return first;
    this.at += reference[0].length;
    return new Reference(Number(first));
  }

  #word(): string {
    let end = this.at + 1;
    for (let byte = this.#bytes[end]; byte !== undefined; byte = this.#bytes[(end += 1)]) {
      if (white.has(byte) || delimiters.has(byte)) break;
    }
    return this.#upTo(end);
  }

  #upTo(end: number): string {
    const text = this.#bytes.toString("latin1", this.at, end);
    this.at = Math.max(end, this.at + 1);
    return text;
  }

  #skipWhite(): void {
    while (white.has(this.#bytes[this.at] ?? -1)) this.at += 1;
  }
}

const code = (sign: string): number => sign.codePointAt(0) ?? 0;

/** Returns a name without escapes (ISO 32000-1, 7.3.5). */
export function plainName(name: string): string {
  return name.replace(/#([0-9a-fA-F]{2})/g, (_all, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 16)),
  );
}

/** Writes a PDF of objects by their numbers; `root` is the number of the catalogue. */
export function writeFileOf(objects: ReadonlyMap<number, WrittenObject>, root: number): Buffer {
  const pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: string | Buffer): void => {
    const bytes = typeof piece === "string" ? Buffer.from(piece, "latin1") : piece;
    pieces.push(bytes);
    length += bytes.length;
  };
  add("%PDF-1.7\n%\xa1\xb3\xc5\xd7\n");
  const size = [...objects.keys()].reduce((most, number) => Math.max(most, number), 0) + 1;
  const offsets = new Map<number, number>();
  for (const [number, { value, data }] of objects) {
    offsets.set(number, length);
    add(`${number} 0 obj\n${textOf(value)}`);
    if (data !== undefined) {
      add("\nstream\n");
      add(data);
      add("\nendstream");
    }
    add("\nendobj\n");
  }
  const rows = Array.from({ length: size }, (_none, number) => {
    const offset = offsets.get(number);
    return offset === undefined ? "0000000000 65535 f \n" : `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const table = length;
  add(`xref\n0 ${size}\n${rows.join("")}trailer\n<< /Size ${size} /Root ${root} 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return Buffer.concat(pieces);
}

function textOf(value: Value): string {
  if (value instanceof Reference) return `${value.number} 0 R`;
  if (isDictionary(value)) {
    return `<<${[...value].map(([key, entry]) => `${writtenName(key)} ${textOf(entry)}`).join("")}>>`;
  }
  return isList(value) ? `[${value.map(textOf).join(" ")}]` : value;
}

function writtenName(name: string): string {
  const escaped = name
    .slice(1)
    .replace(/[^!-~]|[#()<>[\]{}/%]/g, (sign) => `#${(sign.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`);
  return `/${escaped}`;
}
