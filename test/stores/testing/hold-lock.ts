import { lockDataDir } from "../../../server/storage/lock.ts";

// Takes the lock, says so, and holds it until it is killed.
const [dataDir = ""] = process.argv.slice(2);
lockDataDir(dataDir);
process.send?.("locked");
setInterval(() => undefined, 1000);
