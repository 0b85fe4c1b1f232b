/** So long a test waits, on a machine that is busy, for what comes at once. */
export const patienceMs = 20_000
