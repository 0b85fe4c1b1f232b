import { chanceOf, percentOf, percentText } from '../../lib/numbers.ts'
import { describe, expect, it } from 'vitest'
import { chanceSentence, moveSentence } from './chance.ts'

describe('chanceSentence', () => {
  it.each([
    [0, 'Everyone gets B.'],
    [1, 'Everyone gets A.'],
    [0.2, '1 of 5 users get A.'],
    [0.37, '37 of 100 users get A.'],
    [0.0001, '1 of 10,000 users get A.'],
    [1 / 3, 'About 3,333 of 10,000 users get A.'],
    [0.000001, 'Fewer than 1 of 10,000 users get A.'],
    [0.999999, 'Nearly everyone gets A.'],
  ])('says of %j: %s', (chance, sentence) => {
    expect(chanceSentence(chance)).toBe(sentence)
  })

  it.each([
    [0, 'Everyone gets B (false).'],
    [1, 'Everyone gets A (true).'],
    [0.2, '1 of 5 users get A (true), the others B (false).'],
  ])('names the values at %j: %s', (chance, sentence) => {
    expect(chanceSentence(chance, { sides: { a: 'true', b: 'false' } })).toBe(sentence)
  })

  it('cuts a long value', () => {
    expect(chanceSentence(1, { sides: { a: 'x'.repeat(25), b: '' } })).toBe(`Everyone gets A (${'x'.repeat(23)}…).`)
  })
})

describe('moveSentence', () => {
  it.each([
    [0.1, 0.25, '15% of users move from B to A.'],
    [0.3, 0.1, '20% of users move from A to B.'],
  ])('says of %j to %j: %s', (before, after, sentence) => {
    expect(moveSentence(before, after)).toBe(sentence)
  })

  it('names the values, or the labels', () => {
    const sides = { a: 'true', labels: { a: 'on', b: 'off' } }
    expect(moveSentence(0, 0.5, sides)).toBe('50% of users move from off to on (true).')
  })
})

describe('percents', () => {
  it.each([
    [0.07, 7],
    [0.29, 29],
    [0.1234, 12.34],
    [0.000001, 0.0001],
  ])('of %j are %j, and back', (chance, percent) => {
    expect(percentOf(chance)).toBe(percent)
    expect(chanceOf(percent)).toBe(chance)
    expect(percentText(chance)).toBe(`${percent}%`)
  })
})
