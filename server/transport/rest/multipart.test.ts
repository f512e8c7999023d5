import { array, assert, asyncProperty, constantFrom, integer, oneof, record, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { readParts } from "./multipart.ts";

/** Short, so that random bytes form delimiters and near misses. */
const boundary = "-b";
const contentType = `multipart/form-data; boundary=${boundary}`;

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const field = (name: string): string => `Content-Disposition: form-data; name="${name}"`;
const file = (name: string, fileName: string): string => `${field(name)}; filename="${fileName}"`;

/** Lines are separated by | here. */
const lines = (text: string): Buffer => Buffer.from(text.replaceAll("|", "\r\n"));

interface Seen {
  readonly name: string;
  readonly fileName?: string;
  /** Bytes as Latin-1. */
  readonly content: string;
}

async function read(chunks: Iterable<Uint8Array>, type = contentType): Promise<Seen[]> {
  const parts: Seen[] = [];
  for await (const part of readParts(type, streamed(chunks))) {
    if (part.kind === "field") parts.push({ name: part.name, content: Buffer.from(part.value).toString("latin1") });
    else {
      let content = "";
      for await (const piece of part.bytes) content += Buffer.from(piece).toString("latin1");
      parts.push({ name: part.name, fileName: part.fileName, content });
    }
  }
  return parts;
}

/** Overwrites every chunk as soon as the next one is asked for. */
async function* streamed(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    const copy = Uint8Array.from(chunk);
    yield copy;
    copy.fill(0x21);
  }
}

/** The body in pieces of these lengths, in rotation. */
function* cut(body: Buffer, lengths: readonly number[]): Generator<Buffer> {
  for (let start = 0, index = 0; start < body.length; index++) {
    const end = start + (lengths[index % lengths.length] ?? body.length);
    yield body.subarray(start, end);
    start = end;
  }
}

const one = (head: string, content: string): Buffer => lines(`---b|${head}||${content}|---b--|`);
const contentOf = async (body: Buffer): Promise<string | undefined> => (await read([body])).at(0)?.content;

describe("a form is read in the same way however it arrives", () => {
  const content = latin1("%PDF\r\n--\r\n---\r\n---b\r---bx\r\n---b-\r\n---b -\r\n---b-- -\n---b\r\r\n\x00\xff\r\r\n--");
  const body = Buffer.concat([
    lines(`preamble||---b  \t|${field("first")}||1|---b|${file("file", "ä.pdf")}|Content-Type: a/b||`),
    content,
    lines(`|---b|${field("empty")}||---b|${field("last")}|||---b-- |epilogue|---b|`),
  ]);
  const expected: Seen[] = [
    { name: "first", content: "1" },
    { name: "file", fileName: "ä.pdf", content: content.toString("latin1") },
    { name: "empty", content: "" },
    { name: "last", content: "" },
  ];

  test("cut in two anywhere", async () => {
    for (let at = 0; at <= body.length; at++) {
      expect(await read([body.subarray(0, at), body.subarray(at)]), `cut at ${at}`).toEqual(expected);
    }
  });

  test("in pieces of one size", async () => {
    for (let size = 1; size <= body.length; size++) {
      expect(await read(cut(body, [size])), `pieces of ${size}`).toEqual(expected);
    }
  });

  test("whatever it holds", async () => {
    const delimiterLine = /\r\n---b(--)?[ \t]*\r\n/;
    const fragments = oneof(
      constantFrom("\r", "\n", "\r\n", "-", "--", "b", "---b", "\r\n---b", "\r\n---", " ", "\t"),
      uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
    );
    const text = array(fragments, { maxLength: 30 })
      .map((list) => list.join(""))
      .filter((content) => !delimiterLine.test(`\r\n${content}\r\n`));
    const form = record({
      before: array(text, { maxLength: 3 }),
      content: text,
      after: array(text, { maxLength: 3 }),
      padding: constantFrom("", " ", "\t  "),
      lengths: array(integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
    });
    await assert(
      asyncProperty(form, async ({ before, content, after, padding, lengths }) => {
        const asField = (content: string): string =>
          `---b${padding}\r\n${field("text")}; x\r\n${type}\r\n\r\n${content}`;
        const type = "Content-Type: text/plain; charset=latin1";
        const all = [
          ...before.map(asField),
          `---b${padding}\r\n${file("file", "a")}\r\n\r\n${content}`,
          ...after.map(asField),
          `---b--${padding}`,
        ];
        const seen = await read(cut(latin1(all.join("\r\n")), lengths));
        const texts = (contents: readonly string[]): Seen[] =>
          contents.map((content) => ({
            name: "text",
            content: Buffer.from(new TextDecoder("latin1").decode(latin1(content))).toString("latin1"),
          }));
        expect(seen).toEqual([...texts(before), { name: "file", fileName: "a", content }, ...texts(after)]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("text around the parts", () => {
  test.each([
    ["nothing before the first and after the last", `---b|${field("a")}||1|---b--`],
    ["an end of line", `|---b|${field("a")}||1|---b--|`],
    ["a preamble and an epilogue", `This is a form.||---b|${field("a")}||1|---b--|---b|more`],
    ["white space behind the delimiters", `---b \t|${field("a")}||1|---b  |${field("b")}||2|---b-- \t`],
  ])("%s", async (_, text) => {
    expect((await read([lines(text)])).at(0)).toEqual({ name: "a", content: "1" });
  });

  test("a form may have no part at all", async () => {
    expect(await read([lines("---b--|")])).toEqual([]);
  });

  test("a boundary in quotes, and one of 70 characters", async () => {
    expect(await read([lines(`--a b|${field("a")}||1|--a b--`)], 'Multipart/Form-Data; Boundary="a b"')).toHaveLength(
      1,
    );
    const long = "x".repeat(70);
    expect(await read([lines(`--${long}|${field("a")}||1|--${long}--`)], `${long}; boundary=${long}`)).toHaveLength(1);
    await expect(read([], `multipart/form-data; boundary=${long}x`)).rejects.toThrow("at most 70 characters");
  });

  test.each(["multipart/form-data", "multipart/form-data; boundary=", 'multipart/form-data; boundary=""'])(
    "%s is refused",
    async (type) => {
      await expect(read([], type)).rejects.toThrow("needs a boundary");
    },
  );

  const whole = one(file("file", "a.pdf"), "bytes");

  test("a form that ends early is refused wherever it ends", async () => {
    // The end of the last line may be missing.
    const end = whole.length - 2;
    expect(await read([whole.subarray(0, end)])).toHaveLength(1);
    for (let at = 0; at < end; at++) {
      await expect(read([whole.subarray(0, at)]), `ends at ${at}`).rejects.toThrow("broken or ends too early");
    }
  });

  test("a body that never becomes a form is refused before its end", async () => {
    let taken = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; ; taken++) yield Buffer.alloc(1024);
    }
    await expect(Array.fromAsync(readParts(contentType, endless()))).rejects.toThrow("broken or ends too early");
    expect(taken).toBeLessThan(20);
  });

  test("a delimiter followed by endless white space is none", async () => {
    await expect(read([lines(`---b|${field("a")}||1|---b${" ".repeat(200)}|---b--`)])).resolves.toEqual([
      { name: "a", content: `1\r\n---b${" ".repeat(200)}` },
    ]);
  });
});

describe("the head of a part", () => {
  test.each([
    ["plain", 'name="file"; filename="a.pdf"', "a.pdf"],
    ["in UTF-8", 'name="file"; filename="Übersicht 文書 🐧.pdf"', "Übersicht 文書 🐧.pdf"],
    ["without quotes", "name=file; filename=a.pdf", "a.pdf"],
    ["in another order and case", 'FileName="a.pdf"; NAME="file"', "a.pdf"],
    ["with a quote as browsers write it", 'name="file"; filename="a%22b%22.pdf"', 'a"b".pdf'],
    ["with a quote as others write it", String.raw`name="file"; filename="a\"b\".pdf"`, 'a"b".pdf'],
    ["with a percent sign", 'name="file"; filename="100%25 %zz.pdf"', "100%25 %zz.pdf"],
    ["with line ends as browsers write them", 'name="file"; filename="a%0D%0Ab.pdf"', "a\r\nb.pdf"],
    ["with a semicolon", 'name="file"; filename="a;b=c.pdf"', "a;b=c.pdf"],
    ["as filename*", 'name="file"; filename="a.pdf"; filename*=UTF-8\'\'%e2%82%ac.pdf', "€.pdf"],
    ["as filename* alone", "name=\"file\"; filename*=iso-8859-1'en'%a3.pdf", "£.pdf"],
    ["with folders", 'name="file"; filename="../x/a.pdf"', "a.pdf"],
    ["with folders of Windows", String.raw`name="file"; filename="C:\Users\me\a.pdf"`, "a.pdf"],
    ["empty", 'name="file"; filename=""', ""],
  ])("has a file name %s", async (_, parameters, fileName) => {
    const seen = await read([one(`content-disposition:form-data; ${parameters}`, "1")]);
    expect(seen).toEqual([{ name: "file", fileName, content: "1" }]);
  });

  test("may hold names in Latin-1", async () => {
    const [start = "", end = ""] = one(file("file", "#.pdf"), "1").toString().split("#");
    expect(await read([latin1(`${start}\xfc${end}`)])).toMatchObject([{ fileName: "ü.pdf" }]);
  });

  test("may be folded, and contain headers that are not read", async () => {
    const head = `X-A: b|Content-Disposition: form-data;| name="file";|\tfilename="a.pdf"|Content-Length: 1|no header`;
    expect(await read([one(head, "1")])).toEqual([{ name: "file", fileName: "a.pdf", content: "1" }]);
  });

  test("without a file name, but with the type of any bytes, is a file's", async () => {
    const head = `${field("file")}|Content-Type: application/octet-stream|Content-Transfer-Encoding: Binary`;
    expect(await read([one(head, "1")])).toEqual([{ name: "file", fileName: "", content: "1" }]);
  });

  test("may be all there is of a part", async () => {
    expect(await read([lines(`---b|${field("a")}||---b|${file("b", "c")}||---b--`)])).toEqual([
      { name: "a", content: "" },
      { name: "b", fileName: "c", content: "" },
    ]);
  });

  test.each([
    ["nothing", ""],
    ["no name", "Content-Disposition: form-data"],
    ["another disposition", 'Content-Disposition: attachment; name="a"'],
    ["no disposition", "Content-Type: text/plain"],
  ])("with %s is refused", async (_, head) => {
    await expect(read([lines(head === "" ? "---b|||1|---b--" : `---b|${head}||1|---b--`)])).rejects.toThrow(
      "every part of the form needs a name",
    );
  });

  test("with an encoding is refused", async () => {
    const head = `${field("a")}|Content-Transfer-Encoding: base64`;
    await expect(read([one(head, "MQ==")])).rejects.toThrow("a has Content-Transfer-Encoding base64; send it as it is");
  });

  test("is bounded in headers and bytes", async () => {
    const headers = (count: number): string => [field("a"), ...Array(count - 1).fill("A: b")].join("|");
    expect(await contentOf(one(headers(50), "1"))).toBe("1");
    await expect(read([one(headers(51), "1")])).rejects.toThrow("more than 50 headers");
    const padded = (bytes: number): string => field("a".repeat(bytes - field("").length));
    expect(await contentOf(one(padded(16 * 1024 - 2), "1"))).toBe("1");
    await expect(read([one(padded(16 * 1024 - 1), "1")])).rejects.toThrow("longer than 16384 bytes");
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield lines(`---b|${field("a")}`);
      for (;;) yield Buffer.from("x");
    }
    await expect(Array.fromAsync(readParts(contentType, endless()))).rejects.toThrow("longer than 16384 bytes");
  });
});

describe("fields", () => {
  test("come in order, also under one name", async () => {
    const body = `---b|${field("a")}||1|---b|${field("b")}||2|---b|${field("a")}||3|---b--`;
    expect(await read([lines(body)])).toMatchObject([{ content: "1" }, { content: "2" }, { content: "3" }]);
  });

  test("are text in UTF-8 or what they say", async () => {
    const type = "Content-Type: text/plain; charset=";
    const value = async (head: string, bytes: Buffer): Promise<string | undefined> => {
      const [start = "", end = ""] = one(head, "#").toString().split("#");
      for await (const part of readParts(contentType, streamed([lines(start), bytes, lines(end)]))) {
        return part.kind === "field" ? part.value : undefined;
      }
    };
    expect(await value(field("a"), Buffer.from("文書"))).toBe("文書");
    expect(await value(`${field("a")}|${type}"ISO-8859-1"`, latin1("\xfc"))).toBe("ü");
    await expect(value(field("a"), latin1("\xfc"))).rejects.toThrow("a is not valid utf-8 text; send it as UTF-8");
    await expect(value(`${field("a")}|${type}x`, latin1("1"))).rejects.toThrow("a is not valid x text");
  });

  test("are bounded together in bytes, whatever pieces they come in", async () => {
    const half = "x".repeat(2 ** 20);
    const body = (last: string): Buffer => lines(`---b|${field("a")}||${half}|---b|${field("b")}||${last}|---b--`);
    expect(await read(cut(body(half), [65_536]))).toMatchObject([{ content: half }, { content: half }]);
    await expect(read(cut(body(`${half}x`), [65_536]))).rejects.toMatchObject({
      kind: "too_large",
      message: "the form fields up to b are longer than 2 MB together",
    });
  });

  test("are bounded in number", async () => {
    const fields = (count: number): Buffer => lines(`${`---b|${field("a")}||1|`.repeat(count)}---b--`);
    expect(await read([fields(100)])).toHaveLength(100);
    await expect(read([fields(101)])).rejects.toThrow("the form has more than 100 fields");
  });
});

describe("a file", () => {
  const form = lines(`---b|${file("file", "a")}||bytes||and more|---b|${field("after")}||1|---b--`);

  test("may be one only", async () => {
    await expect(read([lines(`---b|${file("a", "a")}||1|---b|${file("b", "b")}||2|---b--`)])).rejects.toThrow(
      "send one file only",
    );
  });

  test("that is not read, or not to its end, is skipped", async () => {
    for (const maxPieces of [0, 1]) {
      const names: string[] = [];
      for await (const part of readParts(contentType, streamed(cut(form, [3])))) {
        names.push(part.name);
        if (part.kind !== "file") continue;
        const pieces = part.bytes[Symbol.asyncIterator]();
        for (let count = 0; count < maxPieces; count++) await pieces.next();
      }
      expect(names).toEqual(["file", "after"]);
    }
  });

  test("is passed on as it comes, without waiting for its end", async () => {
    let taken = 0;
    async function* slow(): AsyncGenerator<Uint8Array> {
      for (const chunk of cut(form, [3])) {
        taken += chunk.length;
        yield chunk;
      }
    }
    for await (const part of readParts(contentType, slow())) {
      if (part.kind !== "file") continue;
      for await (const _ of part.bytes) break;
      expect(taken).toBeLessThan(form.indexOf("bytes") + 6);
    }
    expect(taken).toBe(form.length);
  });

  test("ends its reading when no more is wanted, and fails as the body does", async () => {
    let isClosed = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        yield form.subarray(0, -20);
        throw new Error("the line is cut");
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of readParts(contentType, body())) break;
    expect(isClosed).toBe(true);
    await expect(Array.fromAsync(readParts(contentType, body()))).rejects.toThrow("the line is cut");
  });

  test("full of near delimiters stays whole and in large pieces", async () => {
    const content = "\r\n---bx".repeat(20_000);
    const body = one(file("file", "a"), content);
    let pieces = 0;
    let bytes = 0;
    for await (const part of readParts(contentType, streamed(cut(body, [65_536])))) {
      if (part.kind !== "file") continue;
      for await (const piece of part.bytes) {
        pieces += 1;
        bytes += piece.byteLength;
      }
    }
    expect(bytes).toBe(content.length);
    expect(pieces).toBeLessThan(10);
  });
});
