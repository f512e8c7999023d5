import type { SpaceRef } from "../../domain/ports/vectors.ts";

/** The number of the tables' layout: those of another layout are not read, and are removed with their pack. */
const layout = 2;

/** `dense2.PACK.SPACE`; of both names only what every file system and object store takes stays as it is. */
export function tableName({ kind, pack, name }: SpaceRef): string {
  const encode = (text: string): string =>
    text.replace(/[^a-z0-9-]/gu, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`);
  return `${kind}${layout}.${encode(pack)}.${encode(name)}`;
}

/** The space that `tableName` was given; undefined if it is a table of another layout. */
export function spaceOf(table: string): Pick<SpaceRef, "kind" | "pack" | "name"> | undefined {
  const [kind, pack, name] = table.split(".");
  const isKnown = pack !== undefined && name !== undefined;
  if (isKnown && kind === `dense${layout}`) return { kind: "dense", pack: decode(pack), name: decode(name) };
  if (isKnown && kind === `lexical${layout}`) return { kind: "lexical", pack: decode(pack), name: decode(name) };
  return undefined;
}

/** The pack that `tableName` was given. */
export const packOf = (name: string): string => decode(name.split(".")[1] ?? "");

const decode = (text: string): string =>
  text.replace(/_([0-9a-f]+)_/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
