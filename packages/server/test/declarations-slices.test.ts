/** Tests that work on many declarations lets others be served after each step. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Declaration } from '@rollkey/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { assertPossible, takeDocument } from '../src/declarations/checked.ts'
import { declarationsOfRows, sizeOfTexts } from '../src/declarations/texts.ts'

const count = 500
const declarations = Array.from({ length: count }, (_, at): Declaration => ({ name: `V${at}`, example: 'a' }))
const document = { properties: Object.fromEntries(declarations.map(({ name }) => [name, { examples: ['a'] }])) }
const wrong = { properties: { ...document.properties, LAST: { minLength: 'x' } } }
const rows = declarations.map(({ name }) => ({ name, content: '{}', updated_at_ms: 0, updated_by: 'user_1' }))
const contents = new Map(rows.map(({ name, content }) => [name, content]))

/** Returns how many turns of the event loop work has left to others. Each look at the clock is the end of a slice. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let nowMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 10))
  onTestFinished(() => clock.mockRestore())
  const state = { turns: 0, isDone: false }
  const others = async (): Promise<void> => {
    for (; !state.isDone; state.turns++) await turn()
  }
  await Promise.all([work().finally(() => (state.isDone = true)), others()])
  return state.turns
}

test.each<[string, () => Promise<unknown>]>([
  ['the declarations of a document', () => takeDocument(document, () => {})],
  ['those of a document that is refused', () => expect(takeDocument(wrong, () => {})).rejects.toThrow('"LAST"')],
  ['declarations', () => assertPossible(declarations)],
  ['stored declarations', () => declarationsOfRows(rows)],
  ['the size of declarations', () => sizeOfTexts(contents)],
])('between %s, others are served', async (_, work) => {
  expect(await turnsDuring(work)).toBeGreaterThanOrEqual(count)
})
