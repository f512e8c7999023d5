import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Chart, Sample } from "./samples.ts";

/** Margin of an A4 page in points, about two centimetres. */
const margin = 60;
const ink = "#1d2433";
const accent = "#2f6f8f";

/** A fixed creation date, so that the same sample always has the same bytes. */
const drawnAt = new Date("2026-01-01T00:00:00Z");

/** Writes the sample into the folder and resolves with its path. */
export async function writeSample(sample: Sample, folder: string): Promise<string> {
  const path = join(folder, sample.fileName);
  await writeFile(path, await drawSample(sample));
  return path;
}

/** Returns the sample as a PDF. Its library is loaded only here. */
export async function drawSample({ title, pages }: Sample): Promise<Uint8Array> {
  const { default: PDFDocument } = await import("pdfkit");
  const document = new PDFDocument({
    size: "A4",
    margin,
    autoFirstPage: false,
    info: { Title: title, Creator: "drs quickstart", CreationDate: drawnAt },
  });
  for (const [index, { heading, paragraphs, chart }] of pages.entries()) {
    document.addPage();
    document.font("Helvetica").fontSize(10).fillColor(accent).text(title);
    document.moveDown(1.5);
    document.font("Helvetica-Bold").fontSize(24).fillColor(ink).text(heading);
    document.moveDown(0.8);
    document.font("Helvetica").fontSize(12.5);
    for (const paragraph of paragraphs) document.text(paragraph, { lineGap: 4 }).moveDown(0.9);
    if (chart !== undefined) drawChart(document, chart);
    document
      .fontSize(10)
      .fillColor(accent)
      .text(`Page ${index + 1} of ${pages.length}`, margin, document.page.height - margin - 14, { align: "center" });
  }
  document.end();
  return buffer(document);
}

/** Height of the tallest bar in points. */
const barHeight = 230;
const labelHeight = 40;

function drawChart(document: PDFKit.PDFDocument, { caption, unit, bars }: Chart): void {
  const width = document.page.width - 2 * margin;
  const step = width / bars.length;
  const tallest = Math.max(...bars.map(([, value]) => value));
  const top = document.y + 20;
  const ground = top + barHeight;
  for (const [index, [label, value]] of bars.entries()) {
    const height = (value / tallest) * (barHeight - labelHeight);
    const left = margin + index * step;
    document.rect(left + step * 0.15, ground - height, step * 0.7, height).fill(accent);
    document
      .fontSize(11)
      .fillColor(ink)
      .text(`${value} ${unit}`, left, ground - height - 16, { width: step, align: "center" });
    document.text(label, left, ground + 6, { width: step, align: "center" });
  }
  document
    .moveTo(margin, ground)
    .lineTo(margin + width, ground)
    .lineWidth(1)
    .stroke(ink);
  document
    .font("Helvetica-Oblique")
    .text(caption, margin, ground + labelHeight, { width, align: "center" })
    .font("Helvetica");
}
