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
