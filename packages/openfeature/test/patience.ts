/** How long a test waits for something that normally happens at once, in milliseconds: only a hang is that long. */
export const patienceMs = 120_000
