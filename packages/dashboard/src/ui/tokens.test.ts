import { describe, expect, test } from 'vitest'
import { colors, inputGrounds, textOnColor, variableName } from './tokens.ts'

type Token = keyof typeof colors
type Scheme = 'light' | 'dark'

/** Returns the relative luminance of a color (WCAG 2.2, section 1.4.3). */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: Token, other: Token, scheme: Scheme): number {
  const [dark = 0, light = 0] = [one, other].map((token) => luminance(colors[token][scheme])).toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe.each(['light', 'dark'] as const)('in the %s scheme', (scheme) => {
  const pairs = Object.entries(textOnColor).flatMap(([text, grounds]) =>
    grounds.map((ground) => [text as Token, ground] as const),
  )

  test.each(pairs)('%s is readable on %s', (text, ground) => {
    expect(contrast(text, ground, scheme)).toBeGreaterThanOrEqual(4.5)
  })

  test.each(inputGrounds)('the border of an input is visible on %s', (ground) => {
    expect(contrast('borderStrong', ground, scheme)).toBeGreaterThanOrEqual(3)
  })

  test.each(['a', 'b', 'danger', 'pending', 'accent'] as const)('a bar of the color %s is visible', (token) => {
    expect(contrast(token, 'surface', scheme)).toBeGreaterThanOrEqual(3)
  })
})

test('a token is a CSS variable in kebab case', () => {
  expect(variableName('dangerText')).toBe('--danger-text')
})
