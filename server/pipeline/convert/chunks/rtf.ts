/** Control words that stand for a character or end a line. */
const characters: Readonly<Record<string, string>> = {
  par: "\n",
  line: "\n",
  row: "\n",
  sect: "\n",
  page: "\n",
  cell: " ",
  tab: " ",
  emdash: "—",
  endash: "–",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
};

/** Groups whose text is not on the page. */
const unshown: ReadonlySet<string> = new Set(
  "fonttbl colortbl stylesheet listtable listoverridetable info pict object header footer headerl headerr footerl footerr fldinst generator themedata datastore xmlnstbl rsidtbl latentstyles".split(
    " ",
  ),
);

interface Group {
  isHidden: boolean;
  /** The number of substitutes that follow a Unicode character, for programs that do not support it. */
  substitutes: number;
}

/** The start or end of a group, an escaped byte, a control word with its number, another control, or text. */
const token = /([{}])|\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\([^a-zA-Z])|([^{}\\]+)/g;

/** Returns the lines of text of an RTF document (Microsoft, "Rich Text Format Specification" 1.9.1), given in Latin-1. */
export function linesOfRtf(rtf: string): readonly string[] {
  const pieces: string[] = [];
  const groups: Group[] = [{ isHidden: false, substitutes: 1 }];
  let codePage = "windows-1252";
  let skipped = 0;
  const write = (text: string): void => {
    if (groups.at(-1)?.isHidden !== true) pieces.push(text);
  };
  for (const [, brace, byte, word, number, symbol, text] of rtf.matchAll(token)) {
    const group = groups.at(-1);
    if (group === undefined) break;
    if (brace === "{") groups.push({ ...group });
    else if (brace === "}") groups.pop();
    else if (byte !== undefined) {
      if (skipped > 0) skipped -= 1;
      else write(decoderOf(codePage).decode(Buffer.from(byte, "hex")));
    } else if (word === "u") {
      write(String.fromCharCode(Number(number) & 0xffff));
      skipped = group.substitutes;
    } else if (word === "uc") group.substitutes = Number(number);
    else if (word === "ansicpg") codePage = `windows-${number}`;
    else if (word === "v" && number !== "0") group.isHidden = true;
    else if (word !== undefined) {
      if (unshown.has(word)) group.isHidden = true;
      write(characters[word] ?? "");
    } else if (symbol === "*") group.isHidden = true;
    else if (symbol !== undefined) write(symbol === "~" ? " " : /[{}\\]/.test(symbol) ? symbol : "");
    else if (text !== undefined) {
      const shown = text.replaceAll(/[\r\n]/g, "");
      write(shown.slice(skipped));
      skipped = Math.max(0, skipped - shown.length);
    }
  }
  return pieces
    .join("")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function decoderOf(codePage: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(codePage);
  } catch {
    return new TextDecoder("windows-1252");
  }
}
