/** Marks in the User-Agent of each browser. A browser that also claims to be others comes before them. */
const browsers = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;

const systems = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"],
] as const;

/** Returns "Firefox, Linux" for the User-Agent of a browser, and any other text unchanged. */
export function browserOf(agent: string): string {
  const browser = browsers.find(([mark]) => agent.includes(mark))?.[1];
  const system = systems.find(([mark]) => agent.includes(mark))?.[1];
  return browser === undefined ? agent : [browser, system].filter((name) => name !== undefined).join(", ");
}
