/** Milliseconds since the epoch, UTC. Handed in, so that tests can move time. */
export type Clock = () => number;
