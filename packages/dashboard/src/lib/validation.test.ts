// cspell:ignore sohne Weiß weiss
import { describe, expect, it } from 'vitest'
import { isSlug, passwordStrength, slugOf } from './validation.ts'

describe('slugOf', () => {
  it.each([
    ['Acme', 'acme'],
    ['  Acme & Söhne GmbH ', 'acme-sohne-gmbh'],
    ['Crème brûlée', 'creme-brulee'],
    ['--a--', 'a'],
    ['Söhne & Weiß ÆØ', 'sohne-weiss-aeo'],
    ['日本', ''],
    [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
  ])('makes of %j %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug)
  })
})

describe('isSlug', () => {
  it.each(['a', '0', 'a-b', 'a'.repeat(63)])('takes %j', (slug) => {
    expect(isSlug(slug)).toBe(true)
  })

  it.each(['', '-a', 'A', 'a_b', 'a'.repeat(64), 'a\n'])('refuses %j', (slug) => {
    expect(isSlug(slug)).toBe(false)
  })
})

// cspell:ignore Qwertz

it.each([
  ['password12', 'weak'],
  ['aaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['Qwertz123456', 'weak'],
  ['kT9#mVq2xL', 'fair'],
  ['correct horse battery', 'strong'],
] as const)('calls %j %s', (password, strength) => {
  expect(passwordStrength(password)).toBe(strength)
})
