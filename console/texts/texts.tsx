import { createContext, type ReactElement, type ReactNode, useContext, useEffect } from "react";
import { usePreference } from "../shell/preferences.ts";
import { en, type Texts } from "./en.ts";
import { account, device, join, signIn } from "./de/account.ts";
import { common, design, errors, shell } from "./de/common.ts";
import { documents, jobs, upload, viewer } from "./de/documents.ts";
import { search } from "./de/search.ts";

const de: Texts = {
  account,
  common,
  design,
  device,
  documents,
  errors,
  jobs,
  join,
  search,
  shell,
  signIn,
  upload,
  viewer,
};

const catalogues = { en, de } as const;
export type Language = keyof typeof catalogues;

const isLanguage = (text: string): text is Language => Object.hasOwn(catalogues, text);

const Catalogue = createContext<{ readonly texts: Texts; readonly language: Language }>({ texts: en, language: "en" });

/** Provides texts in the chosen language, else the browser's, else English. */
export function TextsProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const [chosen] = usePreference("language");
  const language = [chosen, ...navigator.languages.map((tag) => tag.slice(0, 2))].find(isLanguage) ?? "en";
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return <Catalogue value={{ texts: catalogues[language], language }}>{children}</Catalogue>;
}

/** All texts that people see, by area. */
export const useTexts = (): Texts => useContext(Catalogue).texts;

/** The language of the texts, and of numbers, sizes and times. */
export const useLanguage = (): Language => useContext(Catalogue).language;
