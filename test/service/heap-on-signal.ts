import { writeFileSync } from "node:fs";

// Imported before the command line: at SIGUSR2 it writes the bytes of live objects to the file that HEAP_FILE names.
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  writeFileSync(process.env["HEAP_FILE"] ?? "", String(process.memoryUsage().heapUsed));
});
