import { expect, test } from 'vitest'
import { itemsOf, listText } from './item-list.ts'

const textsOf = (source: string, separator: 'comma' | 'line') => itemsOf(source, separator)?.map(({ text }) => text)

test.each([
  ['pro, team', 'comma', ['pro', 'team']],
  ['pro,\n team ,,\n', 'comma', ['pro', 'team']],
  ['"a, b", "", " x"', 'comma', ['a, b', '', ' x']],
  ['user-1\r\nuser-2\n\nName, Given\n', 'line', ['user-1', 'user-2', 'Name, Given']],
  ['  \n ', 'line', []],
] as const)('%j by %s has the items %j', (source, separator, items) => {
  expect(textsOf(source, separator)).toEqual(items)
})

test.each(['"open', '"a" b', '"\\x"', 'ok\n"open'])(
  '%j is refused, because a quoted item is not complete',
  (source) => {
    expect(itemsOf(source, 'line')).toBeUndefined()
  },
)

test('any texts are the same after they were written as a list', () => {
  const letters = ['a', ' ', ',', '"', '\\', '\n', '\r', 'é', '\u2028']
  const texts = ['', ...letters.flatMap((one) => letters.flatMap((other) => [one, one + other, `${one}x${other}`]))]
  for (const separator of ['comma', 'line'] as const) {
    expect(textsOf(listText(texts, separator), separator)).toEqual(texts)
    for (const text of texts) expect(textsOf(listText([text], separator), separator)).toEqual([text])
  }
})
