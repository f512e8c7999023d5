export { type RunningServer, serve } from "./serve.ts";
export { work } from "./work.ts";
