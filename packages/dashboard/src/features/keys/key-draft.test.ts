import { expect, it } from 'vitest'
import { emptyKey, keyChecks, keyRequest } from './key-draft.ts'

const draft = { ...emptyKey, name: ' Web ', project: 'shop', stage: 'prod' }

it('takes origins from lines, once each', () => {
  const origins = ' https://shop.example.com\n\nhttp://localhost:5173\nhttps://shop.example.com'
  expect(keyRequest({ ...draft, origins, evaluations: '500' })).toEqual({
    name: 'Web',
    projectSlug: 'shop',
    stageSlug: 'prod',
    origins: ['https://shop.example.com', 'http://localhost:5173'],
    evaluationsPerMonth: 500,
  })
})

it('is for all pages or for none', () => {
  expect(keyRequest({ ...draft, pages: 'any', origins: 'ignored' }).origins).toEqual(['*'])
  expect(keyRequest({ ...draft, pages: 'apps' })).not.toHaveProperty('evaluationsPerMonth')
  expect(keyRequest({ ...draft, pages: 'apps' }).origins).toEqual([])
})

it.each([
  ['', 'pages', false],
  ['shop.example.com', 'pages', false],
  ['https://shop.example.com/path', 'pages', false],
  ['https://shop.example.com', 'pages', true],
  ['', 'any', true],
  ['', 'apps', true],
] as const)('origins %j for %s are complete: %s', (origins, pages, isComplete) => {
  const { origins: check } = keyChecks(() => true)
  expect(check(origins, { ...draft, origins, pages }) === null).toBe(isComplete)
})

it.each([
  ['', true],
  ['1', true],
  ['0', false],
  ['1.5', false],
  ['many', false],
])('%j evaluations are possible: %s', (text, isPossible) => {
  expect(keyChecks(() => true).evaluations(text) === null).toBe(isPossible)
})
