import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nameOf } from "./lockfile.ts";
import { type Manifest, readManifest } from "./manifests.ts";

/** SPDX texts of the licences of bundled packages that come without one; the Apache licence is drs's own. */
const texts = readFileSync(new URL("licence-texts.txt", import.meta.url), "utf8");

/** Returns the notices that the licences of the bundled packages require. */
export function noticesOf(paths: readonly string[]): string {
  const lines = paths.map((path) => {
    const manifest = readManifest(join(path, "package.json"));
    const text = licenceFile(path) ?? "below, or LICENSE";
    return `- ${nameOf(path)} ${manifest.version}: ${String(manifest["license"])}, ${makerOf(manifest)} (text: ${text})`;
  });
  return `drs carries these packages:\n\n${lines.join("\n")}\n\n${texts}`;
}

/** Returns the notices of packages whose code is in the console, with their licence texts, since their own files are not there. */
export function noticesOfConsole(paths: readonly string[]): string {
  const notices = paths.map((path) => {
    const manifest = readManifest(join(path, "package.json"));
    const own = licenceFile(path);
    const text =
      own === undefined ? `${String(manifest["license"])}; the text is above` : readFileSync(join(path, own), "utf8");
    return `${nameOf(path)} ${manifest.version}, ${makerOf(manifest)}\n\n${text.trim()}`;
  });
  return `\nThe web console holds code of these packages:\n\n${notices.join("\n\n---\n\n")}\n`;
}

const licenceFile = (path: string): string | undefined =>
  readdirSync(path).find((file) => /^(licen[cs]e|copying|notice)/i.test(file));

function makerOf({ author, repository }: Manifest): string {
  for (const field of [author, repository]) {
    if (typeof field === "string" && field !== "") return field;
    const { name, url } = Object.fromEntries(Object.entries(field ?? {}));
    if (typeof name === "string" || typeof url === "string") return String(name ?? url);
  }
  return "its contributors";
}
