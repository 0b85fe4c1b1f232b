import { describe, expect, it } from 'vitest'
import { bytesText, countText, shareText } from './numbers.ts'

it('counts have separators', () => {
  expect(countText(1_234_567)).toBe('1,234,567')
  expect(countText(36_999.7)).toBe('37,000')
})

it('shares have a digit', () => {
  expect(shareText(612, 1_204)).toBe('50.8%')
  expect(shareText(1, 2)).toBe('50%')
  expect(shareText(0, 0)).toBe('–')
})

describe('bytesText', () => {
  it.each([
    [0, '0\u00a0B'],
    [182, '182\u00a0B'],
    [999, '999\u00a0B'],
    [1_000, '1\u00a0kB'],
    [12_345, '12.3\u00a0kB'],
    [25_000_000, '25\u00a0MB'],
    [4e15, '4,000\u00a0TB'],
  ])('says of %j: %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text)
  })
})
