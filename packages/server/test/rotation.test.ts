/** When a variable last got another value, where it is due for the next one, and values that change step by step. */
import { expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import { useTestEnv } from '../testkit/test-env.ts'
import { dev, prod, Scene, shop } from './access/scene.ts'

const testEnv = useTestEnv()
const dayMs = 86_400_000

test('a variable is overdue when it has kept its value for longer than declared, whatever else of it is written', async () => {
  const scene = await Scene.open(testEnv)
  const write = (...entries: object[]) => scene.asOwner('write', { ...dev, mode: 'upsert', entries })
  const overdue = async (document?: object): Promise<unknown> => {
    const { problems } = await scene.asOwner('declarationCheck', { ...dev, document })
    return (problems as { problem: string }[]).filter(({ problem }) => problem === 'overdue')
  }
  const attention = async (token?: string) => {
    if (token === undefined) return (await scene.asOwner('attention'))['overdue']
    return (await testEnv.client.must('attention', { orgSlug: scene.orgSlug }, { token }))['overdue']
  }
  const startMs = testEnv.clock.now()
  testEnv.clock.freezeAt(startMs)
  await write(secret('DB_PASSWORD', 'first'), secret('URL', 'db'), roll('SPLIT', 0.5), secret('DIGIT', '1'))
  const names = ['DB_PASSWORD', 'URL', 'SPLIT', 'DIGIT', 'NOWHERE']
  const declarations = names.map((name) => ({ name, rotateEveryDays: 2, owner: 'Payments' }))
  await scene.asOwner('declarationSet', { ...shop, declarations })
  testEnv.clock.advance(dayMs)
  // None of these is another value.
  await write(secret('DB_PASSWORD', 'first'), { ...roll('SPLIT', 0.9), description: 'Described' })
  await scene.asOwner('update', {
    ...dev,
    updates: [
      { name: 'SPLIT', chance: 0.2 },
      { name: 'URL', description: 'Where' },
    ],
  })
  await write(secret('DIGIT', '2'))
  testEnv.clock.advance(dayMs - 1)
  expect([await overdue(), await attention()]).toEqual([[], []])
  testEnv.clock.advance(1)
  const dueAtMs = startMs + 2 * dayMs
  const expected = `must get another value every 2 days, and has had this one since ${new Date(startMs).toISOString().slice(0, 10)}`
  const due = (name: string) => ({ name, problem: 'overdue', expected, dueAtMs, owner: 'Payments' })
  expect(await overdue()).toEqual(['DB_PASSWORD', 'SPLIT', 'URL'].map(due))
  expect(await overdue({ properties: { DB_PASSWORD: { 'x-rollkey': { rotateEveryDays: 3 } } } })).toEqual([])
  const seen = [{ ...dev, count: 3, names: ['DB_PASSWORD', 'SPLIT', 'URL'] }]
  expect(await attention()).toEqual(seen)
  const scoped = (at: object) => scene.machine('service token', { name: 'CI', role: 'reader', ...at })
  expect([await attention(await scoped(prod)), await attention(await scoped(dev))]).toEqual([[], seen])
  await write(secret('DB_PASSWORD', 'second'), { ...roll('SPLIT', 0.2), valueB: 'other' })
  expect(await overdue()).toEqual([due('URL')])
  await scene.asOwner('declarationDelete', { ...shop, names: ['URL'] })
  expect([await overdue(), await attention()]).toEqual([[], []])
  testEnv.clock.run()
})
