/** Milliseconds since the epoch, UTC. A parameter of what uses it, so that tests can set the time. */
export type Clock = () => number;
