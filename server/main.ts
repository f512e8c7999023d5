export { type RunningServer, serve, type ServeOptions } from "./serve.ts";
export { type Care, openForCare } from "./care.ts";
export { type Finding, sentenceOf, type Verdict } from "./domain/verify/finding.ts";
export { verify } from "./domain/verify/verify.ts";
export type { VerifyOptions } from "./domain/verify/context.ts";
export { work } from "./work.ts";
