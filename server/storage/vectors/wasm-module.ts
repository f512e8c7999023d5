/** Node's types leave out what is not Node's own. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: never };
};

/** The memory that the functions of a module work on. */
export interface ModuleMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export const [i32, v128] = [0x7f, 0x7b];

/**
 * Functions of so many parameters of 32 bits, by their names, and one `memory` (WebAssembly, core specification 2.0, binary format). A
 * body begins with its local variables. It is compiled when the first instance is asked for.
 */
export function moduleOf(
  parameters: number,
  functions: Readonly<Record<string, readonly number[]>>,
): () => { readonly exports: never } {
  const [names, bodies] = [Object.keys(functions), Object.values(functions)];
  const signature = [0x60, ...list(Array.from({ length: parameters }, () => [i32])), 0];
  const bytes = Uint8Array.from(
    [
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, list([signature])),
      section(3, list(names.map(() => [0]))),
      section(5, [1, 0, 1]),
      section(7, list([[...name("memory"), 2, 0], ...names.map((each, at) => [...name(each), 0, at])])),
      section(10, list(bodies.map((body) => [...leb(body.length), ...body]))),
    ].flat(),
  );
  let module: object | undefined;
  return () => new WebAssembly.Instance((module ??= new WebAssembly.Module(bytes)));
}

const section = (id: number, content: readonly number[]): number[] => [id, ...leb(content.length), ...content];
const list = (entries: readonly (readonly number[])[]): number[] => [entries.length, ...entries.flat()];
const name = (text: string): number[] => [text.length, ...Buffer.from(text)];

/** A number in seven bits a byte. */
export const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)]);
