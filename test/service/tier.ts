/** Whether this run is `npm test`, which tries one protocol and one metadata store (`vitest.config.ts`). */
export const isQuick = process.env["DRS_TEST_QUICK"] === "1";
