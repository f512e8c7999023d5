import { type ReactElement, type RefObject, useEffect, useRef, useState } from "react";
import { Table } from "../../design/surfaces.tsx";
import { useAdminTexts } from "../texts.ts";

export interface Point {
  /** The unique label of the value, such as a month. */
  readonly label: string;
  /** Undefined if no value is known. */
  readonly value: number | undefined;
}

interface ChartProps {
  readonly kind: "bars" | "line";
  readonly title: string;
  /** Heads of the table with the same values. */
  readonly head: readonly [label: string, value: string];
  /** From left to right. */
  readonly points: readonly Point[];
  readonly format: (value: number) => string;
}

/** Pixels. */
const [height, top, right, bottom, left] = [200, 12, 8, 28, 52];
/** Width of a label with its gap: a month below a bar, a time of day below a line. */
const labelWidths = { bars: 64, line: 100 } as const;
const baseline = height - bottom;

/** Values over time, as a drawing and as a table. */
export function Chart({ kind, title, head, points, format }: ChartProps): ReactElement {
  const { common } = useAdminTexts();
  const [frame, width] = useWidth();
  const ticks = ticksTo(Math.max(0, ...points.map(({ value = 0 }) => value)));
  const maxValue = ticks.at(-1) ?? 1;
  const yOf = (value: number): number => baseline - (value / maxValue) * (baseline - top);
  const slot = Math.max(width - left - right, 1) / Math.max(points.length, 1);
  const xOf = (index: number): number => left + (index + 0.5) * slot;
  const isLabelled = shownLabels(points.length, width - left - right, labelWidths[kind]);
  return (
    <figure className="chart stack">
      <figcaption>
        <h3>{title}</h3>
      </figcaption>
      <div ref={frame} className="chart-frame">
        <svg width={width} height={height} role="img" aria-label={title}>
          {ticks.map((tick) => (
            <g key={tick}>
              <line className="chart-grid" x1={left} x2={width - right} y1={yOf(tick)} y2={yOf(tick)} />
              <text className="chart-text" x={left - 8} y={yOf(tick)} dy="0.35em" textAnchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {kind === "bars" ? (
            points.map(({ label, value = 0 }, index) => (
              <rect
                key={label}
                className="chart-bar"
                x={xOf(index) - barWidth(slot) / 2}
                y={yOf(value)}
                width={barWidth(slot)}
                height={baseline - yOf(value)}
              >
                <title>{`${label}: ${format(value)}`}</title>
              </rect>
            ))
          ) : (
            <Line
              spots={points.map(({ value }, index) => (value === undefined ? undefined : [xOf(index), yOf(value)]))}
            />
          )}
          {points.map(({ label }, index) =>
            isLabelled(index) ? (
              <text
                key={label}
                className="chart-text"
                x={Math.min(xOf(index), width - (kind === "bars" ? labelWidths.bars / 2 : right))}
                y={height - 8}
                textAnchor={kind === "bars" ? "middle" : "end"}
              >
                {label}
              </text>
            ) : null,
          )}
        </svg>
      </div>
      <details>
        <summary>{common.asTable}</summary>
        <Table label={title} head={head}>
          {points.map(({ label, value }) => (
            <tr key={label}>
              <td>{label}</td>
              <td className="numbers">{value === undefined ? common.unknown : format(value)}</td>
            </tr>
          ))}
        </Table>
      </details>
    </figure>
  );
}

/** A line with gaps at unknown values. Each piece ends in a dot, because a single value makes no line. */
function Line({ spots }: { readonly spots: readonly (Spot | undefined)[] }): ReactElement {
  return (
    <>
      {piecesOf(spots).map((piece) => {
        const [x, y] = piece.at(-1) ?? [0, 0];
        return (
          <g key={x}>
            <polyline className="chart-line" points={piece.map((spot) => spot.join(",")).join(" ")} />
            <circle className="chart-bar" cx={x} cy={y} r={4} />
          </g>
        );
      })}
    </>
  );
}

const barWidth = (slot: number): number => Math.min(slot * 0.7, 48);

/** Returns the width of an element in pixels; 0 until it is known. */
function useWidth(): readonly [frame: RefObject<HTMLDivElement | null>, width: number] {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    if (frame.current !== null) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  return [frame, width];
}

/** The number of grid lines to aim for. */
const wanted = 4;

/** Returns whole, round values from 0 to at least `max`, in steps of 1, 2 or 5 times a power of ten. */
export function ticksTo(max: number): readonly number[] {
  const rough = Math.max(max, 1) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 1, 1);
  const count = Math.max(Math.ceil(max / step), 1);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Returns which of `count` labels to show if each needs `labelWidth` of `width`. The last one is always shown. */
export function shownLabels(count: number, width: number, labelWidth: number): (index: number) => boolean {
  const every = Math.max(Math.ceil((count * labelWidth) / Math.max(width, 1)), 1);
  return (index) => (count - 1 - index) % every === 0;
}

type Spot = readonly [x: number, y: number];

/** Splits the points into pieces without gaps. No piece is empty. */
export function piecesOf(spots: readonly (Spot | undefined)[]): readonly (readonly Spot[])[] {
  const pieces: Spot[][] = [];
  let piece: Spot[] | undefined;
  for (const spot of spots) {
    if (spot === undefined) piece = undefined;
    else if (piece === undefined) pieces.push((piece = [spot]));
    else piece.push(spot);
  }
  return pieces;
}
