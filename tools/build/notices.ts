import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nameOf } from "./lockfile.ts";
import { type Manifest, readManifest } from "./manifests.ts";

/** The licences of carried packages that come without a text of them, as SPDX gives it; that of Apache is drs's own. */
const texts = readFileSync(new URL("licence-texts.txt", import.meta.url), "utf8");

/** What the licences of the carried packages ask to be said of them. */
export function noticesOf(paths: readonly string[]): string {
  const lines = paths.map((path) => {
    const manifest = readManifest(join(path, "package.json"));
    const own = readdirSync(path).find((file) => /^(licen[cs]e|copying|notice)/i.test(file));
    const text = own === undefined ? "below, or LICENSE" : own;
    return `- ${nameOf(path)} ${manifest.version}: ${String(manifest["license"])}, ${makerOf(manifest)} (text: ${text})`;
  });
  return `drs carries these packages:\n\n${lines.join("\n")}\n\n${texts}`;
}

function makerOf({ author, repository }: Manifest): string {
  for (const field of [author, repository]) {
    if (typeof field === "string" && field !== "") return field;
    const { name, url } = Object.fromEntries(Object.entries(field ?? {}));
    if (typeof name === "string" || typeof url === "string") return String(name ?? url);
  }
  return "its contributors";
}
