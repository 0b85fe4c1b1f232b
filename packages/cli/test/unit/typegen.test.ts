import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript-5'
import { describe, expect, test } from 'vitest'
import { changesBetween, changesText, isSameCode } from '../../src/typegen/changes.ts'
import { declarationsOf, type DescribedVariable } from '../../src/typegen/declarations.ts'
import { readIfExists, replaceFile } from '../../src/typegen/file.ts'
import { useFolder } from '../../../server/testkit/folder.ts'

function secret(name: string, declaredType?: DescribedVariable['declaredType']): DescribedVariable {
  return { name, kind: 'secret', declaredType }
}

function roll(name: string, chance: number): DescribedVariable {
  return { name, kind: 'ab_roll', declaredType: 'boolean', chance }
}

const every = [
  secret('API_KEY'),
  secret('BANNER', 'string'),
  secret('LAUNCH', 'date'),
  secret('LIMIT', 'int64'),
  secret('PRICES', 'json'),
  secret('RATE', 'float'),
  roll('checkout-flow', 0.2),
]

/** Valid names that break careless generators of TypeScript or deceive readers. */
const nastyNames = [
  '*/ /* // \' " `${x}` \\ \\u0041 \\" } { [ 1 01 1e3 -1 : a-b a.b #private @at',
  '__proto__ constructor new readonly get static class string',
  'größe 名前 🚀 e\u0301 \u00e9 ａ ℹ \u2028 \u2029 \u00a0 \ufeff \u200d \u202e \u{e0041}',
]
  .flatMap((names) => names.split(' '))
  .concat(' ', 'a b', 'x: string', 'x'.repeat(256))

/** Returns the members of `Variables` as the compiler reads them. */
function membersIn(text: string): Map<string, string> {
  const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true, fileName: 'a.ts' })
  expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([])
  const source = ts.createSourceFile('a.d.ts', text, ts.ScriptTarget.ES2022, true)
  const members = new Map<string, string>()
  const visit = (node: ts.Node): void => {
    if (!ts.isPropertySignature(node)) return ts.forEachChild(node, visit)
    const name = node.name as ts.Identifier | ts.StringLiteral
    members.set(name.text, node.type?.getText() ?? '')
  }
  visit(source)
  return members
}

/** Returns the first member of `Variables`. */
function firstMemberIn(text: string): ts.Node {
  const find = (node: ts.Node): ts.Node | undefined =>
    ts.isPropertySignature(node) ? node : ts.forEachChild(node, find)
  const member = find(ts.createSourceFile('a.d.ts', text, ts.ScriptTarget.ES2022, true))
  if (!member) throw new Error('no member')
  return member
}

describe('declarations', () => {
  test('have a member for each variable with its type in the SDK, and its kind', async () => {
    await expect(declarationsOf('shop/prod', every)).toMatchFileSnapshot('../fixtures/typegen.d.ts.txt')
  })

  test('are valid for a stage without variables', () => {
    expect(membersIn(declarationsOf('shop/prod', []))).toEqual(new Map())
  })

  test('keep any name unchanged', () => {
    const text = declarationsOf(
      'shop/prod',
      nastyNames.map((name) => secret(name)),
    )
    expect([...membersIn(text).keys()].toSorted()).toEqual(nastyNames.toSorted())
  })

  test('have the description of a variable, without what would end the comment or deceive a reader', () => {
    const nasty = 'First */ line\r\n\n\t@ts-ignore /* `\u202e\u2028` \\u002a/ ${x} <!-- */*/\nlast '
    const one = { ...secret('A', 'int64'), exposure: 'plain', description: nasty } as const
    const text = declarationsOf('shop/prod', [
      one,
      { ...roll('B', 0.5), description: 'For checkout', labels: { a: 'on */', b: 'off' } },
    ])
    expect(membersIn(text)).toEqual(
      new Map([
        ['A', 'bigint'],
        ['B', 'boolean'],
      ]),
    )
    expect(text).toContain(String.raw`
    /**
     * First *\/ line
     *
     *  @ts-ignore /* ${'`'}\u202e\u2028${'`'} \u002a/ ${'$'}{x} <!-- *\/*\/
     * last
     *
     * Not a secret; the visibility is plain.
     */
    A: bigint
    /**
     * For checkout
     *
     * A/B roll; A is "on *\/", B is "off".
     */
    B: boolean
`)
    const [comment] = ts.getJSDocCommentsAndTags(firstMemberIn(text))
    expect(ts.getTextOfJSDocComment(comment?.comment)).toContain('First *\\/ line')
  })

  test('believe no attribute of another form, which could be code', () => {
    const hostile = {
      chance: '1 */ declare const evil: 1 /*',
      exposure: '*/ evil /*',
      description: { text: '*/ evil' },
      labels: { a: ['*/ evil'], b: 'evil' },
    }
    const text = declarationsOf('a/b', [{ ...secret('A'), ...hostile } as unknown as DescribedVariable])
    expect(text).not.toContain('evil')
    expect(text).toContain('  interface Variables {\n    A: string\n')
  })

  test('contain no hidden character and none that changes the writing direction', () => {
    const text = declarationsOf(
      'shop/prod',
      nastyNames.map((name) => secret(name)),
    )
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
  })
})

describe('changes', () => {
  const text = declarationsOf('shop/prod', every)

  test('list names that were added, removed or changed their type', () => {
    const [, ...rest] = every.filter(({ name }) => name !== 'RATE')
    const later = declarationsOf('shop/prod', [secret('*/'), ...rest, secret('RATE', 'int64')])
    const changes = changesBetween(text, later)
    expect(changes).toEqual({ added: ['"*/"'], removed: ['API_KEY'], retyped: ['RATE'] })
    expect(changesText(changes)).toBe('added "*/"; removed API_KEY; changed the type of RATE')
    expect(isSameCode(text, later)).toBe(false)
  })

  test.each(nastyNames.map((name) => [name]))('list %j', (name) => {
    const { added } = changesBetween(declarationsOf('a/b', []), declarationsOf('a/b', [secret(name)]))
    expect(added).toHaveLength(1)
  })

  test('ignore a changed description', () => {
    const described = (description?: string) => declarationsOf('a/b', [{ ...secret('A'), description }, secret('B')])
    const [none, one, other] = [described(), described('One\nA: bigint'), described('    A: bigint\n* x')]
    for (const each of [one, other]) {
      expect(isSameCode(none, each)).toBe(true)
      expect(changesBetween(none, each)).toEqual({ added: [], removed: [], retyped: [] })
    }
  })

  test('are none for a changed chance', () => {
    expect(declarationsOf('shop/prod', [...every.slice(0, -1), roll('checkout-flow', 0.5)])).toBe(text)
  })

  test('ignore a changed description, line breaks of another system and a formatter', () => {
    const other = { ...roll('checkout-flow', 0.5), description: 'Other' }
    const described = declarationsOf('shop/prod', [...every.slice(0, -1), other])
    expect(described).not.toBe(text)
    expect(isSameCode(text, described)).toBe(true)
    expect(changesText(changesBetween(text, described))).toBe('same names and types, different text')
    expect(isSameCode(text.replaceAll('\n', '\r\n'), text)).toBe(true)
    expect(isSameCode(text.replace('export {}', 'export {};'), text)).toBe(true)
  })

  test('list all names if there is no file', () => {
    expect(isSameCode('', declarationsOf('shop/prod', []))).toBe(false)
    expect(changesBetween('', text).added).toHaveLength(every.length)
  })
})

describe('the file', () => {
  const folder = useFolder()

  test('is created with its folders and replaced atomically', async () => {
    const file = path.join(folder, 'deep/er/a.d.ts')
    expect(readIfExists(file)).toBe('')
    await replaceFile(file, 'old')
    await replaceFile(file, 'new')
    expect(readFileSync(file, 'utf8')).toBe('new')
    expect(readdirSync(path.dirname(file))).toEqual(['a.d.ts'])
  })

  test('has the mode of other sources', async () => {
    const [file, source] = [path.join(folder, 'b.d.ts'), path.join(folder, 'source.ts')]
    await replaceFile(file, '')
    writeFileSync(source, '')
    expect(statSync(file).mode).toBe(statSync(source).mode)
  })

  test('leaves no temporary file if it cannot be replaced', async () => {
    const file = path.join(folder, 'taken')
    mkdirSync(file)
    writeFileSync(path.join(file, 'kept'), '')
    await expect(replaceFile(file, 'text')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST|EPERM/)
    expect(readdirSync(folder)).not.toContainEqual(expect.stringContaining('.tmp'))
  })
})

test.each([
  ['all', 'Required in every stage. */\n    LIMIT: bigint'],
  ['production', 'Required in production; elsewhere it may be absent. */\n    LIMIT?: bigint'],
  [['prod', 'eu'], 'Required in prod, eu; elsewhere it may be absent. */\n    LIMIT?: bigint'],
  [undefined, 'It may be absent. */\n    LIMIT?: bigint'],
] as const)('a declaration required in %j says so where an editor shows it', (required, text) => {
  const declared = { name: 'LIMIT', declaredType: 'int64', required } as const
  expect(declarationsOf('shop/dev', [secret('LIMIT', 'int64')], [declared])).toContain(`    /** Secret. ${text}\n`)
})
