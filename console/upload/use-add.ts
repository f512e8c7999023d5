import { useFormats } from "../shell/formats.ts";
import { showFailure, showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import type { Picked } from "./picked-files.ts";
import { useUploads } from "./use-uploads.ts";
import { lastWishes } from "./wishes.ts";

/** Uploads files that were dropped or chosen, and says which of them are skipped. */
export function useAdd(): (picked: Picked) => void {
  const { upload } = useTexts();
  const formats = useFormats();
  const uploads = useUploads();
  return ({ files, unknown, empty, passedOver }) => {
    for (const name of unknown) showToast(upload.unknownKind(name));
    for (const name of empty) showToast(upload.empty(name));
    if (passedOver > 0) showToast(upload.passedOver(formats.count(passedOver)));
    if (files.length + unknown.length + empty.length + passedOver === 0) showToast(upload.none);
    if (files.length === 0) return;
    try {
      uploads.add(files, lastWishes());
    } catch (cause) {
      if (cause instanceof TypeError) showToast(upload.metadataWrong);
      else showFailure(cause);
    }
  };
}
