import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import type { TerminalAnswer } from "../terminal/ask.ts";
import type { CommandIo } from "../command-io.ts";
import { bestFormat, type Canvas, openCanvas } from "./canvas.ts";
import { askedArea, unaskedArea } from "./area.ts";

function io(env: Record<string, string>, terminal: object = { isTTY: true, columns: 100, rows: 30 }): CommandIo {
  const stdout = Object.assign(new PassThrough(), terminal);
  return { stdout, stderr: new PassThrough(), env, signal: new AbortController().signal };
}

const answer: TerminalAnswer = { kitty: false, sixel: false, name: "", cell: undefined };

describe("the format of pictures", () => {
  test.each([
    [{ kitty: true, sixel: true }, {}, "kitty"],
    [{ sixel: true }, {}, "sixel"],
    [{}, {}, undefined],
    // The terminal's own word goes before a variable that another terminal has left.
    [{ sixel: true }, { KITTY_WINDOW_ID: "1" }, "sixel"],
    [{ kitty: true }, { TERM_PROGRAM: "iTerm.app" }, "iterm"],
    [{ kitty: true }, { LC_TERMINAL: "iTerm2" }, "iterm"],
    [{ kitty: true, name: "iTerm2 3.6.1" }, {}, "iterm"],
    // In tmux only what tmux itself draws.
    [{ kitty: true }, { TMUX: "/tmp/x,1,0" }, undefined],
    [{ sixel: true }, { TMUX: "/tmp/x,1,0", LC_TERMINAL: "iTerm2" }, "sixel"],
    [{}, { TERM: "screen-256color", TERM_PROGRAM: "iTerm.app" }, undefined],
  ] as const)("%j in %j is %s", (said, env, format) => {
    expect(bestFormat({ ...answer, ...said }, env)).toBe(format);
  });

  test.each([
    [
      { TERM: "xterm-256color", COLORTERM: "truecolor" },
      { format: "blocks", depth: 24 },
    ],
    [{ TERM: "xterm-256color" }, { format: "blocks", depth: 8 }],
    [{ TERM: "xterm-256color", TMUX: "/tmp/x,1,0", KITTY_WINDOW_ID: "1" }, { format: "blocks" }],
    [{ TERM: "xterm" }, { format: undefined, reason: "the terminal shows fewer than 256 colours" }],
    [
      { TERM: "dumb", COLORTERM: "truecolor" },
      { format: undefined, reason: "the terminal is a dumb terminal (TERM)" },
    ],
    [
      { TERM: "xterm-256color", NO_COLOR: "1" },
      { format: undefined, reason: "NO_COLOR is set" },
    ],
  ])("a terminal that cannot be asked, %j: %j", async (env, canvas) => {
    expect(await openCanvas("auto", io(env))).toMatchObject(canvas);
  });

  test("a format that is asked for goes wherever the output goes, except through tmux", async () => {
    const env = { TERM: "dumb", NO_COLOR: "1" };
    expect(await openCanvas("sixel", io(env, {}))).toMatchObject({
      format: "sixel",
      screen: { columns: 80, rows: 24 },
    });
    expect(await openCanvas("none", io({}))).toMatchObject({ reason: "pictures are turned off" });
    expect(await openCanvas("auto", io({}, {}))).toMatchObject({
      reason: "the output goes into a file or another program",
    });
    await expect(openCanvas("kitty", io({ TMUX: "x" }))).rejects.toThrow("do not pass on pictures of kitty");
  });
});

describe("room", () => {
  const canvas = (format: Canvas["format"], columns: number, rows: number): Canvas => ({
    format,
    cell: { width: 8, height: 16 },
    depth: 24,
    screen: { columns, rows },
  });

  test.each([
    ["kitty", 120, 40, 10, { count: 2, area: { columns: 108, rows: 13 } }],
    ["blocks", 120, 40, 10, { count: 1, area: { columns: 108, rows: 26 } }],
    ["kitty", 120, 60, 1, { count: 1, area: { columns: 108, rows: 34 } }],
    ["sixel", 200, 90, 10, { count: 3 }],
    ["kitty", 60, 15, 10, { count: 0 }],
    ["blocks", 80, 20, 10, { count: 0 }],
  ] as const)("unasked, %s on %i × %i with %i pages: %j", (format, columns, rows, pages, expected) => {
    expect(unaskedArea(canvas(format, columns, rows), pages)).toMatchObject(expected);
  });

  test("what is asked for fits the screen", () => {
    expect(askedArea(canvas("blocks", 60, 15))).toEqual({ columns: 48, rows: 12 });
    expect(askedArea(canvas("blocks", 5, 2))).toEqual({ columns: 1, rows: 1 });
  });
});
