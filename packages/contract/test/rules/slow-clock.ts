/**
 * A slow reference for times in zones, which shares nothing with the rules but the data of `Intl`: it reads the clock of a zone
 * minute by minute, as text.
 */

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Returns what the clocks of a zone show: `2026-12-20T17:00`. */
export function shown(atMs: number, zone: string): string {
  const clock =
    clocks.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  clocks.set(zone, clock)
  return clock.format(atMs).replace(' ', 'T')
}

export const minuteMs = 60_000

/** Returns the first or last minute at which the clocks show this text; if there is none, the first at which they are past it. */
export function slowInstantOf(text: string, zone: string, which: 'first' | 'last'): number {
  const middleMs = Date.parse(`${text}Z`)
  const minutes: { atMs: number; text: string }[] = []
  // Offsets are from -12 to +14 hours; a day of a date line change is longer.
  for (let atMs = middleMs - 16 * 60 * minuteMs; atMs <= middleMs + 14 * 60 * minuteMs; atMs += minuteMs) {
    minutes.push({ atMs, text: shown(atMs, zone) })
  }
  const same = minutes.filter((each) => each.text === text)
  const found = same.length > 0 ? same.at(which === 'first' ? 0 : -1) : minutes.find((each) => each.text > text)
  if (!found) throw new Error(`the clocks of ${zone} never show ${text}`)
  return found.atMs
}

/** Returns the instants of a year, in minutes, at which the clocks of a zone change. */
export function changesOf(zone: string, year: number): number[] {
  const lag = (atMs: number): number => Date.parse(`${shown(atMs, zone)}Z`) - atMs
  const changes: number[] = []
  const hourMs = 60 * minuteMs
  for (let atMs = Date.UTC(year, 0); atMs < Date.UTC(year + 1, 0); atMs += 24 * hourMs) {
    if (lag(atMs) === lag(atMs + 24 * hourMs)) continue
    for (let minute = atMs; minute < atMs + 24 * hourMs; minute += minuteMs) {
      if (lag(minute) !== lag(minute + minuteMs)) changes.push(minute + minuteMs)
    }
  }
  return changes
}

/** Returns a source of integers below a number, the same for the same seed (mulberry32). */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}
