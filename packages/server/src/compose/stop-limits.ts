/** How long a stop takes at most. Whatever runs the service must wait longer before it kills it (`deploy/`). */

/** How long started requests may take. */
export const drainMs = 8_000

/** How long to wait for a worker to stop, which drains first. */
export const workerStopMs = 10_000
