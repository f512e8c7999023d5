import { type ReactElement, useEffect, useState } from "react";
import { Icon } from "../design/icon.tsx";
import { messageOf } from "../design/failure.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { pickedOfDrop } from "./picked-files.ts";
import { useAdd } from "./use-add.ts";

/** Takes files that are dropped anywhere on the page, and shows so while they are above it. */
export function DropZone(): ReactElement | null {
  const { upload } = useTexts();
  const add = useAdd();
  const [isAbove, setAbove] = useState(false);
  useEffect(() => {
    const onDrag = (event: DragEvent): void => {
      if (!isForUpload(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      setAbove(true);
    };
    const onLeave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setAbove(false);
    };
    const onDrop = (event: DragEvent): void => {
      setAbove(false);
      if (!isForUpload(event)) return;
      event.preventDefault();
      pickedOfDrop(event.dataTransfer).then(add, (cause: unknown) => showToast(messageOf(cause)));
    };
    addEventListener("dragover", onDrag);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onDrag);
      removeEventListener("dragleave", onLeave);
      removeEventListener("drop", onDrop);
    };
  }, [add]);
  return isAbove ? (
    <div className="drop-above" aria-hidden="true">
      <Icon name="upload" />
      <p>{upload.dropAnywhere}</p>
    </div>
  ) : null;
}

/** Not what a part of the page has taken, as the search field takes pictures. */
const isForUpload = (event: DragEvent): event is DragEvent & { readonly dataTransfer: DataTransfer } =>
  !event.defaultPrevented && event.dataTransfer?.types.includes("Files") === true;
