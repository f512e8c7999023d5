/** Fetches files from other machines for a caller who has given their URL. */
export interface RemoteFiles {
  /**
   * Parses a URL and checks it as far as possible without a DNS look-up. Throws `invalid`; the sentence repeats
   * none of the parts that may be secret (user, password, path, query).
   */
  parse(address: string): URL;
  /**
   * Fetches a whole file over http or https. Only public addresses and those that the settings allow are fetched,
   * also after redirects. Throws `too_large`, and `invalid` with the reason for every other failure.
   */
  fetch(
    address: string,
    limits: { readonly maxBytes: number; readonly timeoutMs: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
  /**
   * Opens a large file as a stream. The rules and errors are those of `fetch`, but temporary failures are
   * `unavailable` (the other server does not answer, closes the connection, or is busy). `open` throws them until the
   * other server has answered; after that, the iteration of the body throws them.
   */
  open(address: string, limits: RemoteLimits, signal?: AbortSignal): Promise<RemoteFile>;
}

export interface RemoteLimits {
  readonly maxBytes: number;
  /** Called with the announced size before any bytes are read; if it throws, the fetch ends. */
  readonly checkSize?: (size: number) => void;
  /** Time limit until the other server has answered with the file, all redirects included, milliseconds. */
  readonly answerMs: number;
  /** Longest pause between two pieces, milliseconds. */
  readonly silenceMs: number;
  /** Time limit for the whole file, milliseconds. */
  readonly totalMs: number;
}

export interface RemoteFile {
  /** Name from `Content-Disposition` or the last URL; empty if neither has one. Not cleaned. */
  readonly fileName: string;
  /** Bytes; undefined if the other server does not announce the size. */
  readonly size: number | undefined;
  /** Ending the iteration early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends messages to URLs that callers have given. */
export interface Posts {
  /**
   * Parses a URL and checks it as far as possible without a DNS look-up. Throws `invalid`; the sentence repeats
   * none of the parts that may be secret (user, password, path, query).
   */
  parse(address: string): URL;
  /**
   * Sends a message by POST, to a public address (or one that the settings allow) and over a connection of its own.
   * Any status is an answer; redirects are not followed. Throws `invalid` and `unavailable` with the reason if
   * there is no answer.
   */
  post(address: string, message: Message, timeoutMs: number, signal: AbortSignal): Promise<PostAnswer>;
}

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PostAnswer {
  readonly status: number;
  /** The pause that the receiver requests (`Retry-After`); undefined if none. */
  readonly retryAfterMs: number | undefined;
}
