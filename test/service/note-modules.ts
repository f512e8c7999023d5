import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

/** Named by `--import`, it notes the modules that a process and its threads load, a line each, in DRS_TEST_MODULES. */
const file = process.env["DRS_TEST_MODULES"] ?? "";

registerHooks({
  load(url, context, next) {
    appendFileSync(file, `${process.pid} ${url}\n`);
    return next(url, context);
  },
});
