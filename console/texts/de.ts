import type { Texts } from "./en.ts";
import { account } from "./de/account.ts";
import { common } from "./de/common.ts";
import { design } from "./de/design.ts";
import { device } from "./de/device.ts";
import { documents } from "./de/documents.ts";
import { jobs } from "./de/jobs.ts";
import { join } from "./de/join.ts";
import { search } from "./de/search.ts";
import { shell } from "./de/shell.ts";
import { signIn } from "./de/sign-in.ts";
import { upload } from "./de/upload.ts";
import { viewer } from "./de/viewer.ts";

export const de: Texts = {
  account,
  common,
  design,
  device,
  documents,
  jobs,
  join,
  search,
  shell,
  signIn,
  upload,
  viewer,
};
