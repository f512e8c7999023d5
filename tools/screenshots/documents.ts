import { docxOfPages, pptxOfPages } from "../../test/fixtures/office-pages.ts";
import { makeXlsx } from "../../test/fixtures/ooxml.ts";
import { type FixturePage, makePdf } from "../../test/fixtures/pdf.ts";

/** Makes documents of an invented town, for pictures of the console. Returns their bytes by file name. */
export function makeDocuments(): ReadonlyMap<string, Buffer<ArrayBuffer>> {
  return new Map([
    ["district-heating.pdf", makePdf({ pages: heating.map(([title, text], index) => report(title, text, index)) })],
    ["garden-year.pdf", makePdf({ pages: garden.map(([title, text], index) => report(title, text, index)) })],
    ["winter-talk.pdf", makePdf({ pages: talk.map(([title, text]) => slide(title, text)) })],
    ["council-minutes.docx", docxOfPages(minutes)],
    ["energy-talk.pptx", pptxOfPages(slides)],
    ["heating-costs.xlsx", makeXlsx({ sheets: [{ name: "Costs", rows: costs }] })],
  ]);
}

type Chapter = readonly [title: string, text: string];

const heating: readonly Chapter[] = [
  [
    "What heating costs",
    "The yearly cost of heating a home fell by a third\nonce the old boilers were replaced by heat pumps.",
  ],
  ["Heat pumps", "A heat pump takes warmth out of ground water.\nIts flow temperature must stay below 45 degrees."],
  ["The network", "Nine kilometres of pipes join the school, the baths\nand four hundred homes to one source of heat."],
  ["Insulation", "A well insulated roof saves more than any boiler.\nWindows follow, and the walls come last."],
  [
    "Prices and tariffs",
    "The price of a kilowatt hour has a fixed part\nand one that follows the cost of electricity.",
  ],
  ["Outlook", "Until 2030 every district is to be joined.\nThe cost of heating then depends on the wind alone."],
];

const garden: readonly Chapter[] = [
  ["The garden year", "Sow tomatoes in March on the sill, and plant\nthem out when the nights are mild."],
  ["Water", "Water the beds in the morning, never at noon.\nRain barrels save a third of it."],
  ["Soil", "Compost feeds the soil, and worms turn it.\nDig as little as you can."],
  ["Harvest", "Pick beans young and pumpkins late.\nWhat is too much makes good soup."],
];

const talk: readonly Chapter[] = [
  ["What a winter costs", "The cost of heating rises with every open window.\nClose them, and the town saves a tenth."],
  ["The longest night", "In December the sun brings nothing, and the wind\ncarries the heating of the town alone."],
];

const minutes = [
  "Minutes of the council: the cost of heating the school, and who pays for it",
  "Bicycles and parking: forty more places at the station",
  "Next meeting: the budget of the baths and the heating network",
];

const slides = ["Energy for the town", "Cost of heating: three ways to save", "Wind, sun and water", "What to do next"];

const costs = [
  ["Heating costs in euros", "2024", "2025", "2026"],
  ["School", 48_200, 41_900, 33_100],
  ["Baths", 91_400, 88_000, 62_700],
  ["Town hall", 22_300, 19_800, 15_400],
];

/** Makes a page with a band for its title, text, a chart and a table. Lengths are points. */
function report(title: string, text: string, index: number): FixturePage {
  const bars = Array.from({ length: 8 }, (_, bar) => {
    const height = 30 + ((bar * 53 + index * 71) % 150);
    return `${bar % 2 === 0 ? "0.16 0.45 0.42" : "0.55 0.75 0.70"} rg ${60 + bar * 60} 380 40 ${height} re f`;
  });
  const rows = Array.from({ length: 6 }, (_, row) => {
    const y = 300 - row * 30;
    const cells = [
      `District ${row + 1}`,
      `${120 + ((row * 37 + index * 13) % 90)} homes`,
      `${9 + ((row + index) % 5)} %`,
    ];
    return [
      row % 2 === 0 ? `0.93 0.95 0.94 rg 50 ${y - 9} 495 30 re f` : "",
      ...cells.map((cell, column) => words(cell, 60 + column * 180, y, 12)),
    ].join("\n");
  });
  const lines = text.split("\n").map((line, at) => words(line, 50, 690 - at * 24, 17));
  return {
    operators: [
      "0.10 0.30 0.29 rg 0 752 595 90 re f",
      words(title, 50, 786, 30, "1 1 1"),
      ...lines,
      words("Figure: use by month, in megawatt hours", 60, 355, 10),
      "0.4 0.4 0.4 RG 50 380 m 545 380 l S",
      ...bars,
      ...rows,
      words(String(index + 1), 530, 60, 11),
    ].join("\n"),
  };
}

/** Makes a slide, white on dark, with a light band. */
function slide(title: string, text: string): FixturePage {
  const lines = text.split("\n").map((line, at) => words(line, 50, 300 - at * 34, 26, "0.93 0.93 0.96"));
  return {
    size: [842, 474],
    operators: [
      "0.07 0.09 0.16 rg 0 0 842 474 re f",
      words(title, 50, 386, 44, "1 1 1"),
      ...lines,
      "0.96 0.78 0.25 rg 0 40 842 90 re f",
      words("The cost of heating, told by the town", 50, 76, 24),
    ].join("\n"),
  };
}

const words = (text: string, x: number, y: number, size: number, color = "0.1 0.1 0.1"): string =>
  `BT /F1 ${size} Tf ${color} rg ${x} ${y} Td (${text}) Tj ET`;
