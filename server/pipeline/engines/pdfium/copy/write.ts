import { isDictionary, isList, Reference, type Value, type WrittenObject } from "./written.ts";

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
