/** Tests that work on many declarations lets others be served after each step. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Declaration, DeclarationsDocument } from '@rollkey/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { assertPossible, takeDocument } from '../src/declarations/checked.ts'
import { compareTexts, declarationsOfRows, sizeOfTexts } from '../src/declarations/texts.ts'
import { declarationHandlers } from '../src/http/endpoints/declarations.ts'
import { JsonText } from '../src/http/reply.ts'

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

/** Asks for the declarations of a project that has ten times as many. */
function answerOf(name: 'declarationList' | 'declarationDocument'): unknown {
  const many = Array.from({ length: 10 * count }, (_, at): Declaration => ({
    name: `V${10_000 + at}`,
    required: 'all',
  }))
  const services = { declarations: { list: () => Promise.resolve(many) } }
  const context = { caller: {}, permissions: { isVisible: () => true }, body: { projectSlug: 'shop' } }
  return declarationHandlers[name](services as never, context as never)
}

test.each<[string, () => Promise<unknown>]>([
  ['the declarations of a document', () => takeDocument(document, () => {})],
  ['those of a document that is refused', () => expect(takeDocument(wrong, () => {})).rejects.toThrow('"LAST"')],
  ['declarations', () => assertPossible(declarations)],
  ['stored declarations', () => declarationsOfRows(rows)],
  ['the size of declarations', () => sizeOfTexts(contents)],
  ['what is compared with what is stored', () => compareTexts(new Map(), contents)],
  ['what is stored and compared', () => compareTexts(contents, new Map())],
])('between %s, others are served', async (_, work) => {
  expect(await turnsDuring(work)).toBeGreaterThanOrEqual(count)
})

test.each(['declarationList', 'declarationDocument'] as const)(
  'between pieces of %s, others are served',
  async (name) => {
    let answer = new JsonText('')
    const turns = await turnsDuring(async () => (answer = (await answerOf(name)) as JsonText))
    expect(turns).toBeGreaterThanOrEqual(10)
    const text = answer.head + Buffer.concat([...answer.bulk]).toString() + `${answer.tail}}`
    const { declarations: listed, document: whole } = JSON.parse(text) as {
      declarations?: readonly Declaration[]
      document?: DeclarationsDocument
    }
    const names = listed ? listed.map((each) => each.name) : whole?.required
    expect(names).toHaveLength(10 * count)
    expect(Object.keys(whole?.properties ?? {})).toEqual(whole ? names : [])
  },
)
