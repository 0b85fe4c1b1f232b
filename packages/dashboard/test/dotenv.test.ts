import { describe, expect, it } from 'vitest'
import { parseDotenv, UnreadableText } from '../src/variables/dotenv.ts'

describe('parseDotenv', () => {
  it.each([
    ['A=1\nB=2', { A: '1', B: '2' }],
    ['\r\n# none\r\n  export A = b c  # comment\r\n', { A: 'b c' }],
    ['A=', { A: '' }],
    ['A: 1', { A: '1' }],
    [`A='it\\n is # raw'`, { A: 'it\\n is # raw' }],
    ['A="a\\nb"', { A: 'a\nb' }],
    ['A="a\nb"\nB=`c\nd`', { A: 'a\nb', B: 'c\nd' }],
    ['A=a=b==', { A: 'a=b==' }],
    ['__proto__=1', Object.fromEntries([['__proto__', '1']])],
  ])('reads %j', (text, values) => {
    expect(Object.fromEntries(parseDotenv(text))).toEqual(values)
  })

  it.each([
    ['A=1\nnonsense', 'Line 2: this is no NAME=value.'],
    ['A=1\n\nA=2', 'Line 3: A is there a second time.'],
    ['A="open\nB=1', 'Line 1: the value of A begins with a quote that does not end it.'],
  ])('refuses %j', (text, message) => {
    expect(() => parseDotenv(text)).toThrow(UnreadableText)
    expect(() => parseDotenv(text)).toThrow(message)
  })
})
