import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactElement, type ReactNode, useLayoutEffect, useRef, useState } from "react";

interface VirtualRowsProps {
  /** The name of the list for screen readers. */
  readonly label: string;
  readonly count: number;
  /** Pixels. */
  readonly rowHeight: number;
  /** Extra rows before and after the visible ones. */
  readonly overscan?: number;
  /** Renders the row at an index. The row has to fill the height. */
  readonly children: (index: number) => ReactNode;
  /** Called with the first and the last row that are rendered. */
  readonly onRange?: (first: number, last: number) => void;
}

/** A list of rows of equal height that scrolls with the page. Only rows near the viewport are rendered. */
export function VirtualRows({
  label,
  count,
  rowHeight,
  overscan = 8,
  children,
  onRange,
}: VirtualRowsProps): ReactElement {
  const element = useRef<HTMLUListElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = element.current?.getBoundingClientRect().top ?? 0;
      setScrollMargin(Math.round(top + scrollY));
    };
    measure();
    // Content above may grow and shrink.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled by the React Compiler
  const rows = useWindowVirtualizer({ count, estimateSize: () => rowHeight, overscan, scrollMargin });
  useLayoutEffect(() => rows.measure(), [rows, rowHeight]);
  const shown = rows.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useLayoutEffect(() => onRange?.(first, last), [onRange, first, last]);
  return (
    <ul ref={element} className="virtual-rows" aria-label={label} style={{ height: count * rowHeight }}>
      {shown.map(({ index, start }) => (
        <li
          key={index}
          className="virtual-row"
          aria-setsize={count}
          aria-posinset={index + 1}
          style={{ height: rowHeight, transform: `translateY(${start - scrollMargin}px)` }}
        >
          {children(index)}
        </li>
      ))}
    </ul>
  );
}

/** Scroll positions at which views were left, in pixels. */
const offsets = new Map<string, number>();

/** Scrolls a view to where it was left, or to its top. */
export function useScrollPlace(view: string): void {
  useLayoutEffect(() => {
    scrollTo(0, offsets.get(view) ?? 0);
    const remember = (): void => void offsets.set(view, scrollY);
    addEventListener("scroll", remember, { passive: true });
    return () => removeEventListener("scroll", remember);
  }, [view]);
}
