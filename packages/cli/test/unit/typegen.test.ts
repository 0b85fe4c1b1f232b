import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import ts from 'typescript-5'
import { afterAll, describe, expect, test } from 'vitest'
import { changesBetween, changesText, isSameCode } from '../../src/typegen/changes.ts'
import { declarationsOf, type DescribedVariable } from '../../src/typegen/declarations.ts'
import { readIfThere, replaceFile } from '../../src/typegen/file.ts'

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

/** Legal names that a careless writer of TypeScript falls over, or that a reader would be deceived by. */
const nastyNames = [
  '*/ /* // \' " `${x}` \\ \\u0041 \\" } { [ 1 01 1e3 -1 : a-b a.b #private @at',
  '__proto__ constructor new readonly get static class string',
  'größe 名前 🚀 e\u0301 \u00e9 ａ ℹ \u2028 \u2029 \u00a0 \ufeff \u200d \u202e \u{e0041}',
]
  .flatMap((names) => names.split(' '))
  .concat(' ', 'a b', 'x: string', 'x'.repeat(256))

/** The members of `Variables` as the compiler reads them. */
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

describe('declarations', () => {
  test('a member for each variable, with the type that the SDK gives, its kind and its chance', async () => {
    await expect(declarationsOf('shop/prod', every)).toMatchFileSnapshot('../fixtures/typegen.d.ts.txt')
  })

  test('a stage without variables is a file like another', () => {
    expect(membersIn(declarationsOf('shop/prod', []))).toEqual(new Map())
  })

  test('any name comes out as the name that it is', () => {
    const text = declarationsOf(
      'shop/prod',
      nastyNames.map((name) => secret(name)),
    )
    expect([...membersIn(text).keys()]).toEqual(nastyNames)
  })

  test('no character that is unseen, or that turns the writing around, stands in the text', () => {
    const text = declarationsOf(
      'shop/prod',
      nastyNames.map((name) => secret(name)),
    )
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
  })
})

describe('changes', () => {
  const text = declarationsOf('shop/prod', every)

  test('names that came, went, and have another type', () => {
    const [, ...rest] = every.filter(({ name }) => name !== 'RATE')
    const later = declarationsOf('shop/prod', [secret('*/'), ...rest, secret('RATE', 'int64')])
    const changes = changesBetween(text, later)
    expect(changes).toEqual({ added: ['"*/"'], removed: ['API_KEY'], retyped: ['RATE'] })
    expect(changesText(changes)).toBe('added "*/"; removed API_KEY; of another type RATE')
    expect(isSameCode(text, later)).toBe(false)
  })

  test.each(nastyNames.map((name) => [name]))('%j is told', (name) => {
    const { added } = changesBetween(declarationsOf('a/b', []), declarationsOf('a/b', [secret(name)]))
    expect(added).toHaveLength(1)
  })

  test('a chance that moved, line ends of another system and a formatter leave programs as they were', () => {
    const moved = declarationsOf('shop/prod', [...every.slice(0, -1), roll('checkout-flow', 0.5)])
    expect(moved).not.toBe(text)
    expect(isSameCode(text, moved)).toBe(true)
    expect(changesText(changesBetween(text, moved))).toBe('the same names, in another text')
    expect(isSameCode(text.replaceAll('\n', '\r\n'), text)).toBe(true)
    expect(isSameCode(text.replace('export {}', 'export {};'), text)).toBe(true)
  })

  test('a file that is not there lacks everything', () => {
    expect(isSameCode('', declarationsOf('shop/prod', []))).toBe(false)
    expect(changesBetween('', text).added).toHaveLength(every.length)
  })
})

describe('the file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-typegen-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('is made with its folders and replaced whole', () => {
    const file = path.join(folder, 'deep/er/a.d.ts')
    expect(readIfThere(file)).toBe('')
    replaceFile(file, 'old')
    replaceFile(file, 'new')
    expect(readFileSync(file, 'utf8')).toBe('new')
    expect(readdirSync(path.dirname(file))).toEqual(['a.d.ts'])
  })

  test('leaves nothing behind when it cannot be replaced', () => {
    const file = path.join(folder, 'taken')
    mkdirSync(file)
    writeFileSync(path.join(file, 'kept'), '')
    expect(() => replaceFile(file, 'text')).toThrow(/EISDIR|ENOTEMPTY|EEXIST|EPERM/)
    expect(readdirSync(folder)).not.toContainEqual(expect.stringContaining('.tmp'))
  })
})
