import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

/** Named by `--import`, it notes the modules of OpenTelemetry that a process loads, a line each, in DRS_TEST_MODULES. */
const file = process.env["DRS_TEST_MODULES"] ?? "";

registerHooks({
  load(url, context, next) {
    if (url.includes("/@opentelemetry/")) appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
