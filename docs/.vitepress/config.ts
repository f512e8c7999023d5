import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type DefaultTheme } from "vitepress";

/**
 * The site of the documents: `npm run docs` builds it into `dist/docs`. Its search works in the browser on an index that is
 * part of the site, its fonts are those of the system, and it loads nothing from elsewhere.
 */
const docs = fileURLToPath(new URL("..", import.meta.url));

/** A list of `index.md`: its sections with their links, which the sidebar shows. */
function sections(path: string): DefaultTheme.SidebarItem[] {
  const groups: { text: string; items: { text: string; link: string }[] }[] = [];
  for (const line of readFileSync(join(docs, path), "utf8").split("\n")) {
    const [, heading] = /^## ([^:]+)/.exec(line) ?? [];
    if (heading !== undefined) groups.push({ text: heading, items: [] });
    const [, text = "", link] = /^- \[(.+?)\]\(([^)]+)\)/.exec(line) ?? [];
    if (link !== undefined) groups.at(-1)?.items.push({ text, link: `/${link.replace(/(?:index)?\.md$/, "")}` });
  }
  return groups.map((group) => ({ ...group, collapsed: false }));
}

/** Whether a link of a page leads to a file of the repository that is not a document. */
function leavesDocs(link: string, page: string): boolean {
  return !/^[a-z]+:|^#/.test(link) && normalize(join(dirname(page), link)).startsWith("..");
}

export default defineConfig({
  title: "drs",
  description: "Document page retrieval: large documents in, pages out by number or by meaning",
  outDir: "../dist/docs",
  cacheDir: "../dist/docs-cache",
  ignoreDeadLinks: "localhostLinks",
  metaChunk: true,
  markdown: {
    config(markdown) {
      // The site has no address of the repository: what leads there is text.
      markdown.core.ruler.push("links-out", ({ tokens, env }) => {
        const page: string = typeof env.relativePath === "string" ? env.relativePath : "";
        for (const { children } of tokens) {
          let isOut = false;
          for (const child of children ?? []) {
            if (child.type === "link_open") isOut = leavesDocs(String(child.attrGet("href")), page);
            if (!isOut || (child.type !== "link_open" && child.type !== "link_close")) continue;
            child.tag = "span";
            child.attrs = null;
            if (child.type === "link_close") isOut = false;
          }
        }
      });
    },
  },
  themeConfig: {
    search: { provider: "local" },
    sidebar: sections("index.md"),
    outline: { level: [2, 3] },
  },
});
