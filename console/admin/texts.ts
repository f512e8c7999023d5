import { admin as de } from "../texts/de/admin.ts";
import { admin as en } from "../texts/en/admin.ts";
import { useLanguage } from "../texts/texts.tsx";

/** What each language must have for the administration. */
export type AdminTexts = typeof en;

const catalogues = { en, de } as const;

/** The texts of the administration, which are loaded with it and not before. */
export const useAdminTexts = (): AdminTexts => catalogues[useLanguage()];
