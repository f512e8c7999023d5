/** Files on other machines, fetched for a caller who named their address. */
export interface RemoteFiles {
  /**
   * The whole file. Only http and https, only public addresses (and those that the settings allow), also after
   * redirects. Throws `invalid` with the reason for whatever the address leads to otherwise, and `too_large`.
   */
  fetch(url: string, limits: { maxBytes: number; timeoutMs: number }, signal?: AbortSignal): Promise<Uint8Array>;
}
