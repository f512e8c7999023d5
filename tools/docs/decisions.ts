import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** The list of decisions by their titles, which begin with their numbers. */
export function decisionsReference(): string {
  const items = globSync("docs/decisions/[0-9]*.md")
    .toSorted()
    .map((path) => {
      const text = readFileSync(path, "utf8");
      const [, title = ""] = /^# (.+)$/m.exec(text) ?? [];
      const isSuperseded = /^# .+\n\nSuperseded/.test(text);
      return `- [${title}](${basename(path)})${isSuperseded ? " (superseded)" : ""}`;
    });
  return items.join("\n");
}
