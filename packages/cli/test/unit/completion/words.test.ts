import { expect, test } from 'vitest'
import { wordsAfter } from '../../../src/completion/words.ts'
import { set } from '../../../src/commands/set.ts'

test('an option with an older name is offered by its present one alone', () => {
  const words = wordsAfter([set], ['set', '']).map(({ word }) => word)
  expect(words).toEqual(expect.arrayContaining(['--visibility', '--help']))
  expect(words).not.toContain('--exposure')
})
