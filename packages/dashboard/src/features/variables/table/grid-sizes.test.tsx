import { expect, test } from 'vitest'
import { gridSizes } from './grid-sizes.ts'

const preferences = { density: 'compact', hiddenColumns: [] } as const

/** Returns the least width of a stage, and whether the last change has a column, beside the open menu of an ordinary window. */
function sizesIn(window: number, stages = 3) {
  const { style, hasColumn } = gridSizes({ width: window - 280, stages, preferences, isPhone: false })
  const columns = (style as Record<string, string>)['--columns'] ?? ''
  return { stage: Number(/repeat\(\d+, minmax\((\d+)px/.exec(columns)?.[1]), lastChange: hasColumn.lastChange }
}

test('stages have the width of a roll with its values, before the last change has a column', () => {
  expect(sizesIn(1280)).toEqual({ stage: 252, lastChange: false })
  expect(sizesIn(1440)).toEqual({ stage: 252, lastChange: false })
  expect(sizesIn(1920)).toEqual({ stage: 252, lastChange: true })
})

test('more stages share the width, until each has the least one and they scroll', () => {
  expect(sizesIn(1280, 4)).toEqual({ stage: 189, lastChange: false })
  expect(sizesIn(1280, 9)).toEqual({ stage: 140, lastChange: false })
})
