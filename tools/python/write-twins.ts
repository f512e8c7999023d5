import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { twinOf } from "./twin.ts";

/**
 * `node tools/python/write-twins.ts [--check]`: generates the synchronous modules of the Python client from those for asyncio.
 * `--check` only lists outdated ones. Code that differs between the two is in `runtime.py`.
 */
const source = "clients/python/src/drs_client/_aio";
const target = "clients/python/src/drs_client/_sync";
/** Files written by hand in both folders. */
const own: ReadonlySet<string> = new Set(["__init__.py", "runtime.py"]);
const note = "# Made by tools/python/write-twins.ts out of the module of the same name in _aio; not to be edited.\n";

const isModule = (name: string): boolean => name.endsWith(".py") && !own.has(name);
const isCheck = process.argv.includes("--check");
const names = readdirSync(source).filter(isModule);
const stale: string[] = [];

for (const name of names) {
  const text = note + twinOf(readFileSync(join(source, name), "utf8"));
  const path = join(target, name);
  if (!isCheck) writeFileSync(path, text);
  else if (read(path) !== text) stale.push(path);
}
for (const name of readdirSync(target).filter((one) => isModule(one) && !names.includes(one))) {
  if (isCheck) stale.push(join(target, name));
  else rmSync(join(target, name));
}
if (stale.length > 0) {
  console.error(`not up to date, run npm run generate: ${stale.join(", ")}`);
  process.exitCode = 1;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
