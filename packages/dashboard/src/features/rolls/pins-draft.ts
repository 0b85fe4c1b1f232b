/** Pins as people edit them: one seed per line for each side. */
import { type CompletePins, limits, problemOfPins, type Side } from '@rollkey/contract/rules'
import { itemsOf, listText } from './item-list.ts'
import { labels } from './labels.ts'
import type { Sides } from '../../data/rolls/labels.ts'

const { pins: words } = labels

/** The texts of the two lists. */
export type PinsDraft = { readonly [Name in Side]: string }

export function pinsDraftOf({ a, b }: CompletePins): PinsDraft {
  return { a: listText(a, 'line'), b: listText(b, 'line') }
}

interface ReadPins {
  readonly pins: CompletePins
  /** What is wrong with a list. Absent: nothing. */
  readonly problems: { readonly [Name in Side]?: string }
}

/** Returns the number of the line of each seed. A quoted seed has no line break either. */
function linesOf(text: string): readonly number[] {
  return text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [at + 1]))
}

/** Reads both lists. `sides`: for the names of the sides. */
export function pinsOf(draft: PinsDraft, sides: Sides | undefined): ReadPins {
  const [a, b] = [draft.a, draft.b].map((text) => itemsOf(text, 'line')?.map((item) => item.text))
  const pins = { a: a ?? [], b: b ?? [] }
  const problemA = a ? listProblem(pins.a, linesOf(draft.a)) : words.badQuotes
  const problemB = b
    ? (listProblem(pins.b, linesOf(draft.b)) ?? bothSidesProblem(pins, linesOf(draft.b), sides))
    : words.badQuotes
  return { pins, problems: { ...(problemA && { a: problemA }), ...(problemB && { b: problemB }) } }
}

function listProblem(seeds: readonly string[], lines: readonly number[]): string | undefined {
  if (seeds.length > limits.pinnedSeeds) return words.tooMany(seeds.length)
  const first = new Map<string, number>()
  for (const [at, seed] of seeds.entries()) {
    const line = lines[at] ?? 0
    if (problemOfPins({ a: [seed] })) return words.tooLong(line)
    const before = first.get(seed)
    if (before !== undefined) return words.twice([line, before])
    first.set(seed, line)
  }
  return undefined
}

function bothSidesProblem(
  { a, b }: CompletePins,
  lines: readonly number[],
  sides: Sides | undefined,
): string | undefined {
  const inA = new Set(a)
  const at = b.findIndex((seed) => inA.has(seed))
  return at === -1 ? undefined : words.onBothSides(lines[at] ?? 0, labels.name('a', sides))
}
