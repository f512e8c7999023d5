/** Files on other machines, fetched for a caller who named their address. */
export interface RemoteFiles {
  /**
   * The address, if it may be fetched as far as that can be known without looking its name up. Throws `invalid`; the
   * sentence repeats nothing of what an address may keep secret (user, password, path, query).
   */
  parse(address: string): URL;
  /**
   * The whole file. Only http and https, only public addresses (and those that the settings allow), also after
   * redirects. Throws `invalid` with the reason for whatever the address leads to otherwise, and `too_large`.
   */
  fetch(
    address: string,
    limits: { readonly maxBytes: number; readonly timeoutMs: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
  /**
   * The file as a stream, for what may be large. The same rules and errors, but `unavailable` for what may pass by
   * itself (the other side does not answer, breaks off, or says that it is busy). They are thrown by `open` until the
   * other side has answered, and by the iteration of the body after it.
   */
  open(address: string, limits: RemoteLimits, signal?: AbortSignal): Promise<RemoteFile>;
}

export interface RemoteLimits {
  readonly maxBytes: number;
  /** Told the bytes that the other side announces before any are taken; what it throws ends the fetch. */
  readonly checkSize?: (size: number) => void;
  /** Until the other side has answered that it sends the file, milliseconds; all redirects together. */
  readonly answerMs: number;
  /** Longest pause between two pieces, milliseconds. */
  readonly silenceMs: number;
  /** For the whole file, milliseconds. */
  readonly totalMs: number;
}

export interface RemoteFile {
  /** As `Content-Disposition` or the last address names it; empty if neither does. Not cleaned. */
  readonly fileName: string;
  /** Bytes; undefined: the other side did not say. */
  readonly size: number | undefined;
  /** Ending the iteration early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}
