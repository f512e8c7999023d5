import { createPagePool } from "../pool.ts";
import { serveTrials } from "./trial-server.ts";

/** The entry of a trial process. */
serveTrials(createPagePool);
