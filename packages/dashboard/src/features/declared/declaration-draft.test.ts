import type { Declaration } from '@rollkey/contract/rules'
import { expect, it } from 'vitest'
import { declarationOf, draftOf, emptyDraft, problemsOf } from './declaration-draft.ts'
import { labels } from './labels.ts'

const words = labels.form

const whole: Declaration = {
  name: 'PORT',
  declaredType: 'int64',
  description: 'Where the shop listens',
  exposure: 'plain',
  constraint: {
    pattern: '^8',
    minLength: 2,
    maxLength: 5,
    minimum: 0,
    maximum: 65_535,
    enum: ['80', '8080'],
    format: 'port',
  },
  required: ['dev', 'prod'],
  owner: 'Payments',
  rotateEveryDays: 90,
  example: '8080',
}

it.each<[string, Declaration]>([
  ['everything', whole],
  ['a name', { name: 'A' }],
  ['all stages', { name: 'A', required: 'all' }],
  ['production', { name: 'A', required: 'production' }],
])('keeps a declaration of %s', (_, declaration) => {
  expect(declarationOf(draftOf(declaration))).toEqual(declaration)
})

it.each([
  ['no name', { name: ' ' }, { name: words.nameMissing }],
  ['a name that is declared', { name: 'TAKEN' }, { name: words.nameTaken }],
  ['no stage', { required: 'some' }, { stages: words.stagesMissing }],
  ['half a day', { rotateEveryDays: '0.5' }, { rotateEveryDays: words.daysWrong }],
  ['a length below 0', { minLength: '-1' }, { minLength: words.lengthWrong }],
  ['a text as a number', { maximum: 'many' }, { maximum: words.numberWrong }],
  ['bounds that exclude each other', { minimum: '5', maximum: '4' }, { maximum: 'This must be at least minimum.' }],
  ['a pattern that is none', { pattern: '(' }, { pattern: expect.stringContaining('This ') }],
  ['an example of another form', { format: 'port', example: 'x' }, { example: expect.stringContaining('port') }],
  ['nothing', {}, {}],
] as const)('finds %s', (_, draft, problems) => {
  expect(problemsOf({ ...emptyDraft, name: 'A', ...draft }, new Set(['TAKEN']))).toEqual(problems)
})
