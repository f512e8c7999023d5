/** A manual, a report with a chart and a guide: small examples of common documents. */
export const samples: readonly Sample[] = [
  {
    fileName: "coffee-machine-manual.pdf",
    title: "Brewline 200 – Owner's Manual",
    pages: [
      {
        heading: "Unpacking and first use",
        paragraphs: [
          "Take the machine out of the box and remove the orange transport tape from the tank, the drip tray and the steam pipe. Place it on a level surface, at least ten centimetres away from walls.",
          "Rinse the tank, fill it with fresh water up to the upper mark and run two cups of plain water through the brewing unit before you make your first coffee.",
        ],
      },
      {
        heading: "Making coffee",
        paragraphs: [
          "Fill the bean container and choose the strength with the left dial. Press the cup button once for an espresso and twice for a long coffee. The grinder starts by itself.",
          "To froth milk, wait until the steam lamp is green, hold the pipe just below the surface of the milk and open the valve slowly.",
        ],
      },
      {
        heading: "Descaling the boiler",
        paragraphs: [
          "Hard water leaves limescale in the boiler. Descale the machine every two months, or when the red lamp blinks: scale makes the water lukewarm and the pump loud.",
          "Dissolve one sachet of citric acid in a litre of water, fill it into the tank and hold the clean button for five seconds. The machine removes the scale in twenty minutes. Then rinse with two full tanks of clear water.",
        ],
      },
      {
        heading: "Guarantee and repair",
        paragraphs: [
          "The guarantee lasts two years from the date on the receipt. It covers faults of material and assembly, but neither damage by limescale nor commercial use.",
          "Send the machine to our workshop in its original packing, with a copy of the receipt. Spare parts are available for ten years.",
        ],
      },
    ],
  },
  {
    fileName: "corrosion-lab-report.pdf",
    title: "Laboratory Report 17: Metals in Salt Water",
    pages: [
      {
        heading: "Purpose of the experiment",
        paragraphs: [
          "Parts of a harbour light stand in sea water all year. Five metals were offered for its frame. This report compares how they last in salt water, so that one of them can be chosen.",
          "The samples were ordered from two suppliers and checked for composition before the experiment began.",
        ],
      },
      {
        heading: "Method",
        paragraphs: [
          "Plates of fifty by fifty millimetres were polished, weighed to a tenth of a milligram and hung for thirty days in tanks with artificial sea water at twenty degrees, with air bubbling through.",
          "Every ten days the tanks were refilled. At the end the plates were brushed, dried and weighed again; the loss of mass was computed from both weights.",
        ],
      },
      {
        heading: "Results: corrosion of the samples",
        paragraphs: [
          "Carbon steel corroded fastest: it lost 412 milligrams and was covered with brown rust within three days. Titanium did not change at all.",
        ],
        chart: {
          caption: "Loss of mass after thirty days in salt water",
          unit: "mg",
          bars: [
            ["Carbon steel", 412],
            ["Cast iron", 336],
            ["Zinc", 158],
            ["Aluminium", 41],
            ["Titanium", 1],
          ],
        },
      },
    ],
  },
  {
    fileName: "island-travel-guide.pdf",
    title: "Three Days on the Island of Norrey",
    pages: [
      {
        heading: "Getting there",
        paragraphs: [
          "The ferry leaves the mainland harbour at eight, at noon and at five in the afternoon; the crossing takes fifty minutes. Cars must be booked a week ahead in July and August.",
          "From the pier a bus goes around the island every hour. Bicycles can be hired beside the ticket office.",
        ],
      },
      {
        heading: "Where to eat",
        paragraphs: [
          "The Lantern, in the old harbour, serves grilled mackerel, mussels and lobster that the boats bring in every morning. Reserve a table for the evening.",
          "For lunch try the bakery on Church Street: its rhubarb cake is known on the mainland. The farm shop in the north sells cheese and cider.",
        ],
      },
      {
        heading: "Walks along the cliffs",
        paragraphs: [
          "The finest walk follows the cliff path from the lighthouse to Seal Bay, seven kilometres with views of the nesting puffins from April to July. Wear solid shoes and keep away from the edge in strong wind.",
          "A shorter round leads through the heather to the standing stones and takes an hour.",
        ],
      },
    ],
  },
];

/** Questions that use other words than the documents. */
export const sampleQuestions: readonly SampleQuestion[] = [
  {
    question: "how do I clean lime out of the water heater",
    fileName: "coffee-machine-manual.pdf",
    page: 3,
  },
  { question: "bar chart of which metal rusted most in the sea", fileName: "corrosion-lab-report.pdf", page: 3 },
  {
    question: "a restaurant for dinner with lobster and fish from the boats",
    fileName: "island-travel-guide.pdf",
    page: 2,
  },
];

/** A document that quickstart creates. */
export interface Sample {
  readonly fileName: string;
  readonly title: string;
  readonly pages: readonly SamplePage[];
}

interface SamplePage {
  readonly heading: string;
  readonly paragraphs: readonly string[];
  readonly chart?: Chart;
}

/** A bar chart. */
export interface Chart {
  readonly caption: string;
  readonly unit: string;
  readonly bars: readonly (readonly [label: string, value: number])[];
}

/** A question with the one page that answers it. */
interface SampleQuestion {
  readonly question: string;
  readonly fileName: string;
  /** Page number, from 1. */
  readonly page: number;
}
