import type { Digested, WriteEntry } from '@rollkey/contract'
import type { Declaration } from '@rollkey/contract/rules'
import { describe, expect, it } from 'vitest'
import {
  draftOf,
  entryIn,
  keepsValues,
  looksBoolean,
  nameProblem,
  newDraft,
  problemsOf,
  raisesExposure,
  retyped,
  settledByDeclaration,
  saveIn,
  usualStages,
  valueProblem,
  withoutFinalBreaks,
  withKind,
  withValuePerStage,
  type Draft,
  type FormStage,
} from './draft.ts'
import { labels } from './labels.ts'

const stored: Digested = { name: 'A', kind: 'secret', declaredType: 'boolean', digests: { value: 'x' } }
const roll: Digested = { name: 'A', kind: 'ab_roll', chance: 0.1, digests: { a: 'x', b: 'y' } }

function stage(stageSlug: string, variable?: Digested, ...takenNames: string[]): FormStage {
  const rest = { createdAtMs: 0, revision: 1, isProduction: false, variables: 1, updatedAtMs: 0 }
  return {
    stage: { stageSlug, name: stageSlug, ...rest },
    variable,
    revision: 1,
    takenNames: new Set(takenNames),
  }
}

function withValue(draft: Draft, values: Partial<Draft['shared']>): Draft {
  return { ...draft, shared: { ...draft.shared, ...values } }
}

describe('a draft', () => {
  it.each<WriteEntry>([
    { name: 'A', kind: 'secret', value: ' as\r\nis ' },
    { name: 'A', kind: 'secret', value: 'true', declaredType: 'boolean' },
    { name: 'A', kind: 'ab_roll', valueA: '1', valueB: '2', chance: 0.25, declaredType: 'int64' },
    { name: 'A', kind: 'secret', value: 'x', exposure: 'plain', description: 'What it is for' },
  ])('returns the entry that it was made from: %j', (entry) => {
    const expected = { exposure: 'secret', description: '', ...entry }
    expect(entryIn(draftOf(entry, ['dev']), 'dev')).toEqual(expected)
  })

  it('looks boolean if all its values are true or false, until it has a type', () => {
    const flag = withValue(newDraft('A', ['dev'], { kind: 'ab_roll' }), { valueA: 'true', valueB: 'false' })
    const perStage = withValuePerStage(flag, true)
    const drafts = [flag, perStage, withValue(flag, { valueB: '' }), withValue(flag, { valueA: 'on' })]
    expect(drafts.map(looksBoolean)).toEqual([true, true, false, false])
    expect(looksBoolean({ ...flag, declaredType: 'string' })).toBe(false)
    expect(looksBoolean(newDraft('A', ['dev']))).toBe(false)
  })

  it('of an entry that omits attributes and the type has those that are stored', () => {
    const before = {
      ...stored,
      kind: 'secret',
      declaredType: 'int64',
      exposure: 'plain',
      description: 'Per page',
    } as const
    const entry = { name: 'A', kind: 'secret', value: '77' } as const
    const draft = draftOf(entry, ['dev'], before)
    expect(entryIn(draft, 'dev')).toEqual({
      ...entry,
      declaredType: 'int64',
      exposure: 'plain',
      description: 'Per page',
    })
    const cleared = draftOf({ ...entry, description: null }, ['dev'], before)
    expect(entryIn(cleared, 'dev')).toMatchObject({ exposure: 'plain', description: '' })
  })

  it('has one value for all stages, or one for each that begins with the common one', () => {
    const draft = withValue(newDraft('A', ['dev', 'prod']), { value: '1' })
    const apart = withValuePerStage(draft, true)
    expect(entryIn(apart, 'prod')).toMatchObject({ value: '1' })
    const changed = { ...apart, byStage: { ...apart.byStage, prod: { ...draft.shared, value: '2' } } }
    expect([entryIn(changed, 'dev'), entryIn(changed, 'prod')]).toMatchObject([{ value: '1' }, { value: '2' }])
    expect(entryIn(withValuePerStage(changed, false), 'prod')).toMatchObject({ value: '1' })
    expect(entryIn(withValuePerStage(withValuePerStage(changed, false), true), 'prod')).toMatchObject({ value: '2' })
  })
})

it.each([
  ['k-prod-1\n', 'k-prod-1'],
  ['k-prod-1\r\n', 'k-prod-1'],
  ['\n', ''],
  ['k\n\n', 'k\n\n'],
  ['-----BEGIN-----\nx\n', '-----BEGIN-----\nx\n'],
  ['stored\n', 'stored\n'],
])('of the value %j saves %j', (value, saved) => {
  const initial = withValue(newDraft('A', ['dev']), { value: 'stored\n' })
  const draft = withValue(initial, { value })
  expect(withoutFinalBreaks(draft, initial).shared.value).toBe(saved)
  expect(withoutFinalBreaks(withValuePerStage(draft, true), initial).byStage['dev']?.value).toBe(saved)
})

describe('a save', () => {
  const draft = newDraft('A', ['dev'], stored)

  it('creates what a stage does not have', () => {
    expect(saveIn(draft, { stageSlug: 'dev', variable: undefined }, false)).toMatchObject({ isNew: true })
  })

  it('leaves out a stage in which nothing changes', () => {
    expect(saveIn(draft, { stageSlug: 'dev', variable: stored }, false)).toBeUndefined()
  })

  it('changes attributes without the hidden values', () => {
    const described = { ...draft, description: 'What it is for', exposure: 'plain' as const }
    expect(saveIn(described, { stageSlug: 'dev', variable: stored }, false)).toEqual({
      content: { updates: [{ name: 'A', description: 'What it is for', exposure: 'plain' }] },
    })
    const raised = withValue(newDraft('A', ['dev'], roll), { chance: 0.2 })
    expect(saveIn(raised, { stageSlug: 'dev', variable: roll }, false)).toEqual({
      content: { updates: [{ name: 'A', chance: 0.2 }] },
    })
    // Of a roll too, both are one save.
    expect(saveIn({ ...raised, description: 'Raised' }, { stageSlug: 'dev', variable: roll }, false)).toEqual({
      content: { updates: [{ name: 'A', chance: 0.2, description: 'Raised' }] },
    })
  })

  it('writes the value where one is entered, and an empty one only where the stored one is known', () => {
    expect(saveIn(withValue(draft, { value: 'true' }), { stageSlug: 'dev', variable: stored }, false)).toMatchObject({
      content: { entries: [{ value: 'true' }] },
    })
    expect(saveIn(draft, { stageSlug: 'dev', variable: stored }, true)).toMatchObject({
      content: { entries: [{ value: '' }] },
    })
  })

  it('keeps hidden values only with their kind and type', () => {
    const inDev = { stageSlug: 'dev', variable: stored }
    expect(keepsValues(draft, inDev)).toBe(true)
    expect(keepsValues({ ...draft, kind: 'ab_roll' }, inDev)).toBe(false)
    expect(keepsValues({ ...draft, declaredType: 'string' }, inDev)).toBe(false)
    expect(keepsValues(withValue(draft, { value: 'false' }), inDev)).toBe(false)
  })
})

it('of what ceases to be a boolean roll has no defaults of one, and keeps what a person chose', () => {
  const draft = newDraft('A', ['dev'])
  const flag = retyped(retyped(draft, { declaredType: 'boolean' }), { kind: 'ab_roll' })
  expect(flag).toMatchObject({ exposure: 'plain', shared: { valueA: 'true', valueB: 'false', chance: 0 } })
  expect(retyped(flag, { kind: 'secret' })).toEqual({ ...draft, declaredType: 'boolean' })
  const turned = withValue({ ...flag, exposure: 'client' }, { valueA: 'false', valueB: 'true', chance: 0.1 })
  expect(retyped(turned, { declaredType: '' })).toEqual({ ...turned, declaredType: '' })
})

describe('of a new roll', () => {
  const free = { declaredType: false, exposure: false }
  const draft = newDraft('A', ['dev'])

  it('begins as a feature switch, and has none of it as one value', () => {
    const flag = withKind(draft, 'ab_roll', free)
    const values = { valueA: 'true', valueB: 'false', chance: 0 }
    expect(flag).toMatchObject({ kind: 'ab_roll', declaredType: 'boolean', exposure: 'plain', shared: values })
    expect(withKind(flag, 'secret', free)).toEqual(draft)
    expect(withKind(withValuePerStage(draft, true), 'ab_roll', free).byStage).toMatchObject({ dev: values })
  })

  it.each([
    ['a type', draft, { ...free, declaredType: true }],
    ['another value', withValue(draft, { value: 'blue' }), free],
    ['another side', withValue(draft, { valueB: 'blue' }), free],
    ['a template', { ...draft, template: true }, free],
  ])('has no defaults of one with %s', (_, given, settled) => {
    expect(withKind(given, 'ab_roll', settled)).toEqual({ ...given, kind: 'ab_roll' })
  })

  it('keeps a visibility that is settled', () => {
    const flag = withKind(draft, 'ab_roll', { ...free, exposure: true })
    expect(flag).toMatchObject({ declaredType: 'boolean', exposure: 'secret' })
    expect(withKind({ ...flag, exposure: 'plain' }, 'secret', { ...free, exposure: true }).exposure).toBe('plain')
  })

  it.each<[Omit<Declaration, 'name'>, typeof free]>([
    [{}, free],
    [{ declaredType: 'boolean' }, free],
    [{ declaredType: 'string' }, { ...free, declaredType: true }],
    [{ constraint: { enum: ['on', 'off'] } }, { ...free, declaredType: true }],
    [{ exposure: 'secret' }, { ...free, exposure: true }],
  ])('follows what is declared: %j', (declared, settled) => {
    expect(settledByDeclaration({ name: 'A', ...declared })).toEqual(settled)
    expect(settledByDeclaration(undefined)).toEqual(free)
  })
})

it('asks before a stored value is shown to more people, or any to everyone', () => {
  const plain = { ...newDraft('A', ['dev'], stored), exposure: 'plain' as const }
  expect(raisesExposure(plain, [{ stageSlug: 'dev', variable: stored }])).toBe(true)
  expect(raisesExposure(plain, [{ stageSlug: 'dev', variable: { ...stored, exposure: 'plain' } }])).toBe(false)
  expect(raisesExposure(plain, [{ stageSlug: 'prod', variable: stored }])).toBe(false)
  expect(raisesExposure(plain, [{ stageSlug: 'dev', variable: undefined }])).toBe(false)
  const client = { ...plain, exposure: 'client' as const }
  expect(raisesExposure(client, [{ stageSlug: 'dev', variable: { ...stored, exposure: 'plain' } }])).toBe(true)
  expect(raisesExposure(client, [{ stageSlug: 'dev', variable: undefined }])).toBe(true)
})

describe('problems', () => {
  function problems(draft: Draft, stages: readonly FormStage[], more: { isNew?: boolean; areKnown?: boolean } = {}) {
    return problemsOf(draft, { stages, initial: draft, isNew: false, areKnown: false, allowsAnyName: false, ...more })
  }

  it('are none where hidden values stay', () => {
    expect(problems(newDraft('A', ['dev'], stored), [stage('dev', stored)])).toEqual({})
  })

  it('are a value that a stage without the variable does not get', () => {
    const draft = newDraft('A', ['dev', 'prod'], stored)
    expect(problems(draft, [stage('dev', stored), stage('prod')])).toEqual({ 'shared.value': labels.advice.boolean })
    expect(problems(withValuePerStage(draft, true), [stage('dev', stored), stage('prod')])).toEqual({
      'byStage.prod.value': labels.advice.boolean,
    })
  })

  it('are a boolean that is not chosen, which never becomes false', () => {
    const draft = { ...newDraft('NEW', ['dev'], stored) }
    expect(problems(draft, [stage('dev')], { isNew: true })).toEqual({ 'shared.value': labels.advice.boolean })
    const flow = { ...roll, declaredType: 'boolean' as const }
    const half = withValue(newDraft('A', ['dev'], flow), { valueB: 'true' })
    expect(problems(half, [stage('dev', flow)])).toEqual({ 'shared.valueA': labels.chooseBoth })
  })

  it('are a name that a chosen stage has already', () => {
    const draft = withValue(newDraft('A', ['dev', 'prod']), { value: '1' })
    const stages = [stage('dev'), stage('prod', undefined, 'A')]
    expect(problems(draft, stages, { isNew: true })).toEqual({ name: labels.nameTaken(['prod']) })
    expect(problems({ ...draft, stages: ['dev'] }, stages, { isNew: true })).toEqual({})
  })

  it('are a value that contradicts what the project declares', () => {
    const declared = { name: 'A', constraint: { format: 'port' } } as const
    const rules = { stages: [stage('dev')], isNew: true, areKnown: false, allowsAnyName: false, declared }
    const problemsWith = (value: string) => {
      const draft = withValue(newDraft('A', ['dev']), { value })
      return problemsOf(draft, { ...rules, initial: draft })
    }
    const problem = labels.asDeclared('must be a port from 1 to 65535 (format port)')
    expect([problemsWith('80a'), problemsWith('80')]).toEqual([{ 'shared.value': problem }, {}])
  })

  it('reject an empty list of stages', () => {
    expect(problems(withValue(newDraft('A', []), { value: '1' }), [stage('dev')])).toEqual({
      stages: labels.chooseStage,
    })
  })
})

it.each([
  ['', false, labels.enterName],
  ['API_KEY2', false, null],
  ['_x', false, null],
  ['2FA', false, labels.unusualName],
  ['my key', false, labels.unusualName],
  ['my key', true, null],
])('takes the name %j, or any: %j', (name, allowsAnyName, problem) => {
  expect(nameProblem(name, allowsAnyName)).toBe(problem)
})

describe('valueProblem', () => {
  it.each([
    ['', '', 'Enter a value.'],
    ['string', '', 'Enter a value.'],
    ['int64', '1.5', 'whole number, such as 12.'],
    ['int64', '9223372036854775808', 'at most 64 bits'],
    ['float', 'one', 'number'],
    ['date', '2026-02-30', 'date that exists'],
    ['json', '{', 'not JSON'],
    ['boolean', '', 'true or false'],
    ['boolean', 'yes', 'true or false'],
    ['', 'ä'.repeat(40_000), '65,536 bytes'],
  ] as const)('refuses of type %j the value %j', (type, value, advice) => {
    expect(valueProblem(type, value, false)).toContain(advice)
  })

  it.each([
    ['', 'x'],
    ['boolean', 'false'],
    ['int64', '-9223372036854775808'],
    ['json', '[1]'],
  ] as const)('takes of type %j the value %j', (type, value) => {
    expect(valueProblem(type, value, false)).toBeNull()
  })

  it('takes an empty text where it may be meant', () => {
    expect(valueProblem('', '', true)).toBeNull()
  })
})

it('is for production only where there is nothing else, if it is new', () => {
  const [dev, staging] = [
    { stageSlug: 'dev', isProduction: false },
    { stageSlug: 'staging', isProduction: false },
  ]
  const prod = { stageSlug: 'prod', isProduction: true }
  expect(usualStages([dev, staging, prod])).toEqual(['dev', 'staging'])
  expect(usualStages([prod])).toEqual(['prod'])
})
