/** Messages to addresses that callers have named. */
export interface Posts {
  /**
   * The address, if anything may be sent to it as far as that can be known without looking its name up. Throws `invalid`;
   * the sentence repeats nothing of what an address may keep secret (user, password, path, query).
   */
  parse(address: string): URL;
  /**
   * Sends a message by POST, to a public address (or one that the settings allow) and over a connection of its own. Any
   * status is an answer, redirects too, which are not followed. Throws `invalid` and `unavailable` with the reason where
   * there is none.
   */
  post(address: string, message: Message, timeoutMs: number, signal: AbortSignal): Promise<PostAnswer>;
}

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PostAnswer {
  readonly status: number;
  /** The pause that the receiver asks for (`Retry-After`); undefined: it asks for none. */
  readonly retryAfterMs: number | undefined;
}
