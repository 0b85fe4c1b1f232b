/** How long a test on a busy machine waits for something that normally happens at once, in milliseconds. */
export const patienceMs = 20_000
