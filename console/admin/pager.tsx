import type { ReactElement } from "react";
import { Button } from "../design/button.tsx";
import { useAdminTexts } from "./texts.ts";

interface PagerProps {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly onMove: (offset: number) => void;
}

/** Moves through a list that starts with the newest entries. Renders nothing if the list fits on one page. */
export function Pager({ offset, limit, total, onMove }: PagerProps): ReactElement | null {
  const { common } = useAdminTexts();
  if (total <= limit && offset === 0) return null;
  return (
    <div className="row-end">
      <span className="quiet numbers">
        {common.range(Math.min(offset + 1, total), Math.min(offset + limit, total), total)}
      </span>
      <Button icon="left" disabled={offset === 0} onClick={() => onMove(Math.max(offset - limit, 0))}>
        {common.newer}
      </Button>
      <Button disabled={offset + limit >= total} onClick={() => onMove(offset + limit)}>
        {common.older}
      </Button>
    </div>
  );
}
