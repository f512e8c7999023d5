/**
 * The service within a process, and the maintenance of its stores. Loading this module loads the stores and the
 * transport.
 */
export { type RunningServer, serve, type ServeOptions } from "../serve.ts";
export { work } from "../work.ts";
export { type MaintenanceStores, openForMaintenance } from "../offline-commands.ts";
export { type Finding, sentenceOf, type Verdict } from "../domain/verify/finding.ts";
export { rebuildAll } from "../domain/index/served.ts";
export { verify } from "../domain/verify/verify.ts";
export { parseDatasetId } from "../domain/ids.ts";
export { openOwnTemporaryFolder } from "../pipeline/convert/scratch.ts";
