import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { init, type WrappedPdfiumModule } from "@embedpdf/pdfium";
import { EngineFault } from "../../errors.ts";

/** The part of WebAssembly that is used here; neither Node's types nor ECMAScript's declare it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Imports,
  ) => { readonly exports: Readonly<Record<string, unknown>> & { readonly memory: { readonly buffer: ArrayBuffer } } };
};

type Imports = Record<string, Record<string, unknown>>;

type QuickName =
  | "FPDFText_GetUnicode"
  | "FPDFText_GetLooseCharBox"
  | "FPDFText_GetTextObject"
  | "FPDFText_GetCharOrigin"
  | "FPDFPage_GetObject"
  | "FPDFFormObj_GetObject"
  | "FPDFPageObj_GetType"
  | "FPDFPageObj_GetBounds"
  | "FPDFPageObj_CountMarks"
  | "FPDFPageObj_GetMark"
  | "FPDFPageObj_SetIsActive"
  | "FPDFPageObj_GetFillColor"
  | "FPDFPageObj_GetClipPath"
  | "FPDFClipPath_CountPaths"
  | "FPDFClipPath_CountPathSegments"
  | "FPDFClipPath_GetPathSegment"
  | "FPDFPathSegment_GetPoint"
  | "FPDFTextObj_GetTextRenderMode"
  | "FPDFText_GetCharBox";

/** One instance of PDFium (WebAssembly), with a heap of its own. */
export interface Library {
  readonly functions: WrappedPdfiumModule;
  /**
   * Functions that are called for each character or object of a page, without the wrappers of `functions`, which would make calls
   * several times slower. Booleans are 0 or 1 here.
   */
  readonly quick: Readonly<Record<QuickName, (...numbers: number[]) => number>>;
  /** Allocates memory, runs `use`, and frees the memory. */
  scratch<Result>(bytes: number, use: (pointer: number) => Result): Result;
  malloc(bytes: number): number;
  free(pointer: number): void;
  /** A view of the heap; it is stale after the next call, which may move the heap. */
  heap(): Uint8Array<ArrayBuffer>;
  view(): DataView<ArrayBuffer>;
  /** Runs a call into PDFium. Throws `EngineFault` if PDFium breaks; after that every call throws. */
  call<Result>(run: () => Result): Result;
  heldBytes(): number;
}

/**
 * Starts an instance that can use `maxBytes` of memory. The build itself allows 2 GB, which a page with endless data would use
 * up.
 */
export async function loadLibrary(maxBytes: number): Promise<Library> {
  const wasmBinary = await readFile(fileURLToPath(import.meta.resolve("@embedpdf/pdfium/pdfium.wasm")));
  let buffer = (): ArrayBuffer => new ArrayBuffer(0);
  let exported = (_name: string): unknown => undefined;
  let starved = false;
  let broken: EngineFault | undefined;

  const overrides = {
    wasmBinary,
    // PDFium's messages about documents reach the caller as errors.
    print: () => {},
    printErr: () => {},
    instantiateWasm(imports: Imports, receive: (instance: object) => void) {
      const env = imports["env"] ?? {};
      const grow = env["emscripten_resize_heap"];
      if (typeof grow !== "function") throw new TypeError("this build of PDFium cannot be kept from growing");
      env["emscripten_resize_heap"] = (bytes: number): unknown => {
        // An unsigned size arrives as a signed number.
        starved = bytes >>> 0 > maxBytes;
        return starved ? 0 : grow(bytes);
      };
      const instance = new WebAssembly.Instance(new WebAssembly.Module(wasmBinary), imports);
      buffer = () => instance.exports.memory.buffer;
      exported = (name) => instance.exports[name];
      receive(instance);
      return instance.exports;
    },
  };
  const functions = await init(overrides);
  functions.PDFiumExt_Init();
  const { malloc, free } = functions.pdfium.wasmExports;

  const call = <Result>(run: () => Result): Result => {
    if (broken !== undefined) throw broken;
    starved = false;
    try {
      const result = run();
      if (!starved) return result;
    } catch (cause) {
      broken = new EngineFault(starved ? "memory" : "crash", { cause });
      throw broken;
    }
    // PDFium did not get the memory that it requested but continued, so a picture would be incomplete.
    broken = new EngineFault("memory");
    throw broken;
  };
  const allocate = (bytes: number): number => {
    const pointer = call(() => malloc(bytes));
    if (pointer === 0) throw new EngineFault("memory");
    return pointer;
  };
  const release = (pointer: number): void => {
    if (broken === undefined) free(pointer);
  };

  let latest = new DataView(buffer());
  return {
    functions,
    quick: quickFunctions(exported),
    call,
    malloc: allocate,
    free: release,
    scratch(bytes, use) {
      const pointer = allocate(bytes);
      try {
        return use(pointer);
      } finally {
        release(pointer);
      }
    },
    heap: () => new Uint8Array(buffer()),
    view() {
      // When the heap has moved, its old buffer has a length of 0.
      if (latest.buffer.byteLength === 0) latest = new DataView(buffer());
      return latest;
    },
    heldBytes: () => buffer().byteLength,
  };
}

/** Binds the functions that are called without wrappers; `exported` returns an export of the instance. */
function quickFunctions(exported: (name: string) => unknown): Library["quick"] {
  const quick = (name: QuickName): ((...numbers: number[]) => number) => {
    const run = exported(name);
    if (typeof run !== "function") throw new TypeError(`this build of PDFium lacks ${name}`);
    // Spreading a list of arguments would take longer than the call; WebAssembly ignores surplus arguments.
    return (a, b, c, d, e, f) => Number(run(a, b, c, d, e, f));
  };
  return {
    FPDFText_GetUnicode: quick("FPDFText_GetUnicode"),
    FPDFText_GetLooseCharBox: quick("FPDFText_GetLooseCharBox"),
    FPDFText_GetTextObject: quick("FPDFText_GetTextObject"),
    FPDFText_GetCharOrigin: quick("FPDFText_GetCharOrigin"),
    FPDFPage_GetObject: quick("FPDFPage_GetObject"),
    FPDFFormObj_GetObject: quick("FPDFFormObj_GetObject"),
    FPDFPageObj_GetType: quick("FPDFPageObj_GetType"),
    FPDFPageObj_GetBounds: quick("FPDFPageObj_GetBounds"),
    FPDFPageObj_CountMarks: quick("FPDFPageObj_CountMarks"),
    FPDFPageObj_GetMark: quick("FPDFPageObj_GetMark"),
    FPDFPageObj_SetIsActive: quick("FPDFPageObj_SetIsActive"),
    FPDFPageObj_GetFillColor: quick("FPDFPageObj_GetFillColor"),
    FPDFPageObj_GetClipPath: quick("FPDFPageObj_GetClipPath"),
    FPDFClipPath_CountPaths: quick("FPDFClipPath_CountPaths"),
    FPDFClipPath_CountPathSegments: quick("FPDFClipPath_CountPathSegments"),
    FPDFClipPath_GetPathSegment: quick("FPDFClipPath_GetPathSegment"),
    FPDFPathSegment_GetPoint: quick("FPDFPathSegment_GetPoint"),
    FPDFTextObj_GetTextRenderMode: quick("FPDFTextObj_GetTextRenderMode"),
    FPDFText_GetCharBox: quick("FPDFText_GetCharBox"),
  };
}
