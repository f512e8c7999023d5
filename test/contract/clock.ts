/** The server's clock is its store's, which on a store elsewhere is not quite this process's; milliseconds. */
const skewMs = 1_000;

/** The earliest that the server may say it is, and the latest. */
export const earliest = (): number => Date.now() - skewMs;
export const latest = (): number => Date.now() + skewMs;
