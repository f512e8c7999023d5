/** A task for the process of WASM LibreOffice, which runs one at a time. */
export interface WasmTask {
  readonly input: string;
  readonly format: "docx" | "pptx" | "xlsx";
  readonly output: string;
  readonly options: string | undefined;
}

/**
 * Messages from that process. `failed.whose` names the party at fault; "system" stands for files that cannot be read or written.
 */
export type FromWasm =
  | { readonly kind: "ready" }
  | { readonly kind: "failed-start"; readonly message: string }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly whose: "document" | "engine" | "system"; readonly message: string };
