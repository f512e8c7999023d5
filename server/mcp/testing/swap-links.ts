import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";

// Until it is killed, swaps the folder `place` of the root between a folder of its own and a link that leads out.
const [root = "", outside = ""] = process.argv.slice(2);
const at = (name: string): string => join(root, name);
symlinkSync(outside, at("link"));
renameSync(at("inside"), at("place"));
mkdirSync(at("aside"));
process.send?.("swapping");
for (;;) {
  renameSync(at("place"), at("aside/folder"));
  renameSync(at("link"), at("place"));
  renameSync(at("place"), at("link"));
  renameSync(at("aside/folder"), at("place"));
}
