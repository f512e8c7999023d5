import { expect } from "vitest";
import type { Drs, Metadata } from "@drs/client";
import { type FixturePage, makePdf } from "../fixtures/pdf.ts";

const garden =
  "Tomatoes want sun, warmth and even water.\nSow them in March on the sill, and plant them out\nwhen the nights are mild. Remove side shoots weekly.";
const heating =
  "The heat pump takes warmth out of the ground water.\nIts flow temperature must not exceed 45 degrees,\nor the yearly cost of heating doubles.";
const chart: FixturePage = {
  text: "Rainfall by month, in millimetres",
  fontSize: 22,
  picture: {
    width: 480,
    height: 320,
    pixel: (x, y) =>
      y > 320 - ((Math.floor(x / 40) * 67) % 260) - 30 && x % 40 > 8 ? [40, 110, 190] : [250, 250, 245],
  },
};

/** Uploads and vectorizes three made documents, of five, two and one pages, and resolves with their ids. */
export async function uploadDocuments(drs: Drs): Promise<readonly string[]> {
  const documents: readonly (readonly [string, Metadata, readonly FixturePage[]])[] = [
    [
      "garden.pdf",
      { year: 2024, tags: ["plants"] },
      [
        page("The garden year", garden),
        page("Water", "Water the beds in the morning, never at noon."),
        page("Tools", "A spade, a hoe and a rake."),
        page("Soil", "Compost feeds the soil."),
        page("Index", "Beds 2. Spade 3. Compost 4."),
      ],
    ],
    ["heating.pdf", { year: 2019 }, [page("Heat pumps", heating), { ...page("Cost", heating), size: [842, 595] }]],
    ["weather.pdf", { year: 2024 }, [chart]],
  ];
  const ids: string[] = [];
  for (const [fileName, metadata, pages] of documents) {
    const bytes = makePdf({ pages });
    const job = await drs.datasets.upload(new Blob([bytes]), { fileName, vectorize: true, metadata });
    for await (const state of drs.jobs.watch(job.id)) expect(state.status).not.toBe("ERROR");
    ids.push(job.datasetId);
  }
  return ids;
}

const page = (title: string, text: string): FixturePage => ({ text: `${title}\n\n${text}`, fontSize: 16 });
