/** Marks of browsers in what they call themselves; one that pretends to be others comes before them. */
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

/** "Firefox, Linux" for the User-Agent of a browser; of anything else the text itself. */
export function browserOf(agent: string): string {
  const browser = browsers.find(([mark]) => agent.includes(mark))?.[1];
  const system = systems.find(([mark]) => agent.includes(mark))?.[1];
  return browser === undefined ? agent : [browser, system].filter((name) => name !== undefined).join(", ");
}
