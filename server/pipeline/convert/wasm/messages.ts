/** A task for the process of WASM LibreOffice, which does one at a time. */
export interface WasmTask {
  readonly input: string;
  readonly format: "docx" | "pptx" | "xlsx";
  readonly output: string;
  readonly options: string | undefined;
}

/** Its messages. `failed.whose`: what is at fault; "system" for files that cannot be read or written. */
export type FromWasm =
  | { readonly kind: "ready" }
  | { readonly kind: "failed-start"; readonly message: string }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly whose: "document" | "engine" | "system"; readonly message: string };
