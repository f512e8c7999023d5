import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";

// Swaps the folder `place` of the root for a link that leads out of the root, and back, until this process is killed.
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
