import { Parser } from "htmlparser2";

/** Elements whose content is not text of the page, and elements within a line. */
const unshown: ReadonlySet<string> = new Set(
  "script style head title template noscript select textarea object".split(" "),
);
const inline: ReadonlySet<string> = new Set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);

/** Returns the text of an HTML page, a line for each block; cells of a row and pictures are separated by a space. */
export function linesOfHtml(html: string): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let hidden = 0;
  const end = (): void => {
    const text = line.replaceAll(/\s+/gu, " ").trim();
    if (text !== "") lines.push(text);
    line = "";
  };
  const between = (name: string): void => {
    if (name === "td" || name === "th" || name === "img") line += " ";
    else if (!inline.has(name)) end();
  };
  const parser = new Parser(
    {
      onopentag(name) {
        if (unshown.has(name)) hidden += 1;
        between(name);
        if (name === "li") line += "• ";
      },
      ontext(text) {
        if (hidden === 0) line += text;
      },
      onclosetag(name) {
        if (unshown.has(name)) hidden -= 1;
        between(name);
      },
    },
    { decodeEntities: true },
  );
  parser.write(html);
  parser.end();
  end();
  return lines;
}
