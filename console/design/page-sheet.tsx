import { type CSSProperties, type ReactElement, type ReactNode, useEffect, useState } from "react";

/** Lengths are fractions of the page. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface PageSheetProps {
  readonly src: string;
  /** Empty where the text beside it says which page it is. */
  readonly alt: string;
  readonly boxes?: readonly Box[];
  /** In the place of a page that cannot be drawn. */
  readonly broken: ReactNode;
  /** Called when the page is seen, or what stands in its place; again when it changes. */
  readonly onShown?: () => void;
}

/** Width by height of A4 upright, until the picture says otherwise. */
const usualRatio = 595 / 842;

/** A page of a document as large as the frame around it allows, a container of CSS (`container-type: size`). */
export function PageSheet({ src, alt, boxes = [], broken, onShown }: PageSheetProps): ReactElement {
  const [ratio, setRatio] = useState(usualRatio);
  const [state, setState] = useState<"loading" | "loaded" | "failed">("loading");
  useEffect(() => {
    if (state !== "loading") onShown?.();
  }, [state, onShown]);
  const style: CSSProperties & Record<"--ratio", number> = { "--ratio": ratio };
  return (
    <span className={`sheet sheet-${state}`} style={style}>
      {state === "failed" ? (
        <span className="sheet-broken">{broken}</span>
      ) : (
        <img
          className="sheet-picture"
          src={src}
          alt={alt}
          decoding="async"
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            setRatio(naturalWidth / naturalHeight);
            setState("loaded");
          }}
          onError={() => setState("failed")}
        />
      )}
      {state === "loaded" &&
        boxes.map(({ x, y, width, height }) => (
          <span
            key={`${x} ${y} ${width} ${height}`}
            className="sheet-mark"
            style={{ left: percent(x), top: percent(y), width: percent(width), height: percent(height) }}
          />
        ))}
    </span>
  );
}

const percent = (fraction: number): string => `${(fraction * 100).toFixed(3)}%`;
