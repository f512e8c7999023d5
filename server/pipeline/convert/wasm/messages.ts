/** What the process of WASM LibreOffice is asked. One at a time. */
export interface WasmTask {
  readonly input: string;
  readonly format: "docx" | "pptx" | "xlsx";
  readonly output: string;
  readonly options: string | undefined;
}

/** What it says. `failed.whose`: who is to blame; "system" for files that cannot be read or written. */
export type FromWasm =
  | { readonly kind: "ready" }
  | { readonly kind: "failed-start"; readonly message: string }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly whose: "document" | "engine" | "system"; readonly message: string };
