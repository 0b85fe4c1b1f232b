import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { OpenedText, TurnCache } from '../../src/evaluation/turn-memory.ts'

test('what was opened is shared within a turn, and dropped once after it', async () => {
  const dropped: string[] = []
  const cache = new TurnCache<object, string>((text) => dropped.push(text))
  const [one, other] = [{}, {}]
  let opened = 0
  const open = (): string => `text ${++opened}`
  expect([cache.get(one, open), cache.get(one, open), cache.get(other, open)]).toEqual(['text 1', 'text 1', 'text 2'])
  await nextTurn()
  expect(dropped).toEqual(['text 1', 'text 2'])
  expect(cache.get(one, open)).toBe('text 3')
  await nextTurn()
  expect(dropped).toEqual(['text 1', 'text 2', 'text 3'])
})

test('an opened text is erased and its memory freed when its turn and all answers with it are over', () => {
  const memory = new ArrayBuffer(6)
  const bytes = Buffer.from(memory)
  bytes.write('secret')
  const fill = vi.spyOn(bytes, 'fill')
  const text = new OpenedText(bytes)
  text.hold()
  text.hold()
  text.release()
  text.release()
  expect(text.bytes.toString()).toBe('secret')
  text.release()
  expect(fill).toHaveBeenCalledWith(0)
  expect([bytes.length, memory.detached]).toEqual([0, true])
})
