/** Where text goes; a terminal says so. */
export type Sink = NodeJS.WritableStream & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
};

/** Where text comes from; a terminal says so, and can hand over every key at once. */
export type Source = NodeJS.ReadableStream & {
  readonly isTTY?: boolean | undefined;
  readonly isRaw?: boolean | undefined;
  readonly setRawMode?: ((raw: boolean) => unknown) | undefined;
};

/** What a command may touch of its process. */
export interface World {
  /** Data. */
  readonly stdout: Sink;
  /** Progress and errors. */
  readonly stderr: Sink;
  /** What a person or another program says; undefined: nothing can be asked. */
  readonly stdin?: Source | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted with an `Interrupted` when the user wants to stop. */
  readonly signal: AbortSignal;
}

export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** A terminal that can redraw lines; where it cannot, plain lines are written. */
export function canRedraw(sink: Sink, env: World["env"]): boolean {
  return sink.isTTY === true && env["TERM"] !== "dumb" && (env["CI"] ?? "") === "";
}
