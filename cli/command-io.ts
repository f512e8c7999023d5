/** An output for text; `isTTY` says whether it is a terminal. */
export type Sink = NodeJS.WritableStream & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
};

/** An input for text; `isTTY` says whether it is a terminal, which can also deliver every key at once. */
export type Source = NodeJS.ReadableStream & {
  readonly isTTY?: boolean | undefined;
  readonly isRaw?: boolean | undefined;
  readonly setRawMode?: ((raw: boolean) => unknown) | undefined;
};

/** The parts of its process that a command may use. */
export interface CommandIo {
  /** Output of data. */
  readonly stdout: Sink;
  /** Output of progress and errors. */
  readonly stderr: Sink;
  /** Input from a person or another program; undefined if nothing can be asked. */
  readonly stdin?: Source | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted with an `Interrupted` when the user wants to stop. */
  readonly signal: AbortSignal;
}

export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Returns whether the output is a terminal that can redraw lines; otherwise plain lines are written. */
export function canRedraw(sink: Sink, env: CommandIo["env"]): boolean {
  return sink.isTTY === true && env["TERM"] !== "dumb" && (env["CI"] ?? "") === "";
}
