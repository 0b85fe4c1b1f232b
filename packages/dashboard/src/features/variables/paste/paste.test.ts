import { describe, expect, it } from 'vitest'
import type { Declaration } from '@rollkey/contract/rules'
import { pasted } from './paste.ts'

const limit = { name: 'LIMIT', kind: 'secret', declaredType: 'int64', digests: {} } as const
const plain = new Map()
const dev = { stage: { stageSlug: 'dev', name: 'dev' }, contents: { variables: [limit], revision: 3 }, plain }
const prod = { stage: { stageSlug: 'prod', name: 'prod' }, contents: { variables: [], revision: 7 }, plain }

describe('pasted', () => {
  it('makes a write of each assignment in each stage', () => {
    const { names, writes, problems } = pasted('A=1\nLIMIT="2"', [dev, prod])
    const a = { name: 'A', kind: 'secret', value: '1', declaredType: 'int64' }
    const two = { name: 'LIMIT', kind: 'secret', value: '2' }
    const newTwo = { ...two, declaredType: 'int64' }
    expect(problems).toEqual([])
    expect(names).toEqual([
      {
        name: 'A',
        value: '1',
        attributes: { declaredType: 'int64', exposure: 'secret' },
        effects: [
          { stageName: 'dev', effect: 'new' },
          { stageName: 'prod', effect: 'new' },
        ],
      },
      {
        name: 'LIMIT',
        value: '2',
        effects: [
          { stageName: 'dev', effect: 'changed', kind: 'secret' },
          { stageName: 'prod', effect: 'new' },
        ],
      },
    ])
    expect(writes).toEqual([
      { stageSlug: 'dev', entries: [a, two], seen: 3 },
      { stageSlug: 'prod', entries: [a, newTwo], seen: 7 },
    ])
  })

  it.each([
    ['true', 'boolean'],
    ['-12', 'int64'],
    ['0', 'int64'],
    ['0.5', 'float'],
    ['{"a":[1]}', 'json'],
    ['[]', 'json'],
    ['007', ''],
    ['+41', ''],
    ['12345678901234567890', ''],
    ['{braces}', ''],
    ['TRUE', ''],
    ['2027-01-31', 'date'],
    ['2027-01-31T09:30:00+01:00', 'date'],
    ['2027-02-31', ''],
    ['2027-01', ''],
    ['', ''],
  ])('guesses the type of a new variable with the value %j: %j', (value, declaredType) => {
    const { names, writes, problems } = pasted(`NEW='${value}'`, [prod])
    expect([names[0]?.attributes, problems]).toEqual([{ declaredType, exposure: 'secret' }, []])
    expect(writes[0]?.entries[0]).toEqual({
      name: 'NEW',
      kind: 'secret',
      value,
      ...(declaredType !== '' && { declaredType }),
    })
  })

  it('takes what the person chose, and says which values it does not fit', () => {
    const chosen = { A: { declaredType: '', exposure: 'plain' } } as const
    const untyped = pasted('A=1', [prod], { choices: chosen })
    expect(untyped.writes[0]?.entries[0]).toEqual({ name: 'A', kind: 'secret', value: '1', exposure: 'plain' })
    const wrong = pasted('A=x', [prod], { choices: { A: { declaredType: 'boolean' } } })
    expect([wrong.problems[0]?.line, wrong.writes]).toEqual([1, []])
  })

  it('takes the declared type, and says of each line how it contradicts what is declared', () => {
    const declared = new Map<string, Declaration>([
      ['CODE', { name: 'CODE', declaredType: 'string' }],
      ['LIMIT', { name: 'LIMIT', declaredType: 'int64', constraint: { maximum: 9 } }],
      ['LEVEL', { name: 'LEVEL', constraint: { enum: ['debug', 'info'] } }],
    ])
    const right = pasted('CODE=12', [dev], { declared })
    expect([right.names[0]?.attributes?.declaredType, right.problems]).toEqual(['string', []])
    const wrong = pasted('LIMIT=10\nLEVEL=loud', [dev], { declared })
    expect(wrong.problems.map(({ line }) => line)).toEqual([1, 2])
    expect(wrong.problems[1]?.text).toContain('The project declares that it must be one of')
    expect(wrong.writes).toEqual([])
  })

  it('leaves out a plain value that stays, and shows one that changes', () => {
    const entry = { name: 'LIMIT', kind: 'secret', value: '2', declaredType: 'int64' } as const
    const known = { ...dev, plain: new Map([['LIMIT', entry]]) }
    const same = pasted('LIMIT=2', [known])
    expect(same.names[0]?.effects).toEqual([{ stageName: 'dev', effect: 'same', kind: 'secret', before: '2' }])
    expect(same.writes).toEqual([])
    const other = pasted('LIMIT=3', [known])
    expect(other.names[0]?.effects).toEqual([{ stageName: 'dev', effect: 'changed', kind: 'secret', before: '2' }])
    expect(other.writes).toHaveLength(1)
  })

  it.each([
    ['A=1\nsecret', 2, 'Expected NAME=value, with a name of ASCII letters, digits, _, . or -.'],
    ['A=1\n\nA=2', 1, 'A is set again in line 3, and the last one counts. Remove one of them.'],
    [
      'A="secret\nB=1',
      1,
      'The value of A begins with a quote that is not closed. Close it, or quote the value differently.',
    ],
    [
      'A=1\nB=p@ss#secret',
      2,
      'The value of B would end at a # without a space before it. Quote the value, or put a space before the comment.',
    ],
    ['A=1\0', 1, 'Expected text without the character NUL. If the file is UTF-16, write it as UTF-8.'],
    ['LIMIT=secret', 1, 'LIMIT: Enter a whole number, such as 12.'],
    ['my.key=secret', 1, 'my.key cannot be an environment variable. Change it, or allow any name.'],
  ])('says what is wrong with %j, without its values', (text, line, message) => {
    const { writes, problems } = pasted(text, [dev])
    expect(problems).toEqual([{ line, text: message }])
    expect(writes).toEqual([])
  })

  it('says what was left out of values, and takes them', () => {
    const { writes, notices } = pasted('wrong\r\nA=secret \r\nB="x\r\ny"\r\nC="secret\nD=4\n"', [dev])
    expect(writes).toEqual([])
    expect(notices).toEqual([
      { line: 2, text: 'The white space around the value of A was left out. Quote the value to keep it.' },
      {
        line: 3,
        text: 'The carriage returns in the value of B were left out. Write them as \\r between double quotes to keep them.',
      },
      {
        line: 5,
        text: 'The value of C has 3 lines, and one looks like another assignment. Check where its quote is closed.',
      },
    ])
    expect(pasted('A=secret ', [dev]).writes).toMatchObject([{ entries: [{ value: 'secret' }] }])
  })

  it('reports every wrong line, and previews the others', () => {
    const { names, problems } = pasted('first\nA=1\nsecond\nB=2\n', [prod])
    expect(problems.map(({ line }) => line)).toEqual([1, 3])
    expect(names.map(({ name }) => name)).toEqual(['A', 'B'])
  })

  it('leaves out the lines that were skipped, and still asks about others', () => {
    const text = 'first\nA=1\nLIMIT=x\nA=2\nB=3\n'
    const { problems } = pasted(text, [dev])
    expect(problems.map(({ line }) => line)).toEqual([1, 2, 3])
    const rest = pasted(text, [dev], { skips: problems })
    expect(rest).toMatchObject({ problems: [], skipped: problems })
    expect(rest.names.map(({ name, value }) => [name, value])).toEqual([
      ['A', '2'],
      ['B', '3'],
    ])
    expect(rest.writes.map(({ entries }) => entries.map(({ name }) => name))).toEqual([['A', 'B']])
    const more = pasted(`${text}last`, [dev], { skips: problems })
    expect([more.problems.map(({ line }) => line), more.writes]).toEqual([[6], []])
  })

  it('refuses the names of wrong lines, but not one that a later line sets well', () => {
    const { names } = pasted('A=1\nmy.key=2\nB=first\nB=2', [dev])
    expect(names.map(({ name, value, isRefused = false }) => [name, value, isRefused])).toEqual([
      ['A', '1', false],
      ['my.key', '2', true],
      ['B', '2', false],
    ])
  })

  it('names new values that need no mask, unless the person chose their visibility', () => {
    const text = 'PORT=80\nDEBUG=true\nLIMIT=3\nTEXT=abc\nAPI_KEY=12345\nON=true'
    const { harmless } = pasted(text, [dev], { choices: { ON: { exposure: 'secret' } } })
    expect(harmless).toEqual(['PORT', 'DEBUG'])
  })

  it('takes other names where they are allowed, or stored already', () => {
    expect(pasted('my.key=1', [dev], { allowsAnyName: true }).problems).toEqual([])
    const stored = { ...dev, contents: { ...dev.contents, variables: [{ ...limit, name: 'my.key' }] } }
    expect(pasted('my.key=1', [stored]).problems).toEqual([])
  })
})
