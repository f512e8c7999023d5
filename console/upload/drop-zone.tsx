import { type ReactElement, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { Icon } from "../design/icon.tsx";
import { showFailure } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { pickedOfDrop } from "./picked-files.ts";
import { useAdd } from "./use-uploads.ts";

/** Views that show uploads. */
const showsUploads = ["/documents", "/upload"];

/** Accepts files dropped anywhere in the console, shows a hint while they hover, and opens a view that shows uploads. */
export default function DropZone(): ReactElement | null {
  const { upload } = useTexts();
  const add = useAdd();
  const [location, navigate] = useLocation();
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
      pickedOfDrop(event.dataTransfer).then((picked) => {
        add(picked);
        if (picked.files.length > 0 && !showsUploads.includes(location)) navigate("/upload");
      }, showFailure);
    };
    addEventListener("dragover", onDrag);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onDrag);
      removeEventListener("dragleave", onLeave);
      removeEventListener("drop", onDrop);
    };
  }, [add, location, navigate]);
  return isAbove ? (
    <div className="drop-above" aria-hidden="true">
      <Icon name="upload" />
      <p>{upload.dropAnywhere}</p>
    </div>
  ) : null;
}

/** Ignores drops that a part of the page handles, such as pictures on the search field. */
const isForUpload = (event: DragEvent): event is DragEvent & { readonly dataTransfer: DataTransfer } =>
  !event.defaultPrevented && event.dataTransfer?.types.includes("Files") === true;
