import { createPagePool } from "../../threads/pool.ts";
import { serveTrials } from "./server.ts";

/** The entry of a trial process. */
serveTrials(createPagePool);
