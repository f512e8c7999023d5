/** Returns milliseconds since the epoch, UTC. It is a parameter so that tests can set the time. */
export type Clock = () => number;
