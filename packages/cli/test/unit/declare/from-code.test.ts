import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { useFolder } from '../../../../server/testkit/folder.ts'
import { variablesIn } from '../../../src/declare/code.ts'
import { usedByCode } from '../../../src/declare/from-code.ts'

const required = (name: string) => ({ name, isRequired: true })
const optional = (name: string, fallback?: string) => ({ name, isRequired: false, ...(fallback && { fallback }) })

test.each([
  ['process.env.A', [required('A')]],
  ["process.env['A-B']", [required('A-B')]],
  ['process?.env?.A', [required('A')]],
  ['globalThis.process.env.A', [required('A')]],
  ['import.meta.env.VITE_A', [required('VITE_A')]],
  ["process.env.A ?? 'a'", [optional('A', 'a')]],
  ['process.env.A || 5', [optional('A', '5')]],
  ['process.env.A ?? other()', [optional('A')]],
  ['process.env.A && b', [required('A')]],
  ["const { A, B: b, C = 'c', ...rest } = process.env", [required('A'), required('B'), optional('C', 'c')]],
  ['process.env.A ??= process.env.B', [required('A'), required('B')]],
  ['process.env.A = b', []],
  ['delete process.env.A', []],
  ['process.env[name]', []],
  ['process.env', []],
  ['other.env.A; env.B', []],
  ['// process.env.A\n/* import.meta.env.B */ "process.env.C"', []],
  ['process.env.NODE_ENV + import.meta.env.MODE', []],
  ['`${process.env.A}`', [required('A')]],
  ["require('x')(process.env.A)", [required('A')]],
  ["await rollkey.get('A', { seed })", [required('A')]],
  ["this.rollkey?.inspect('A')", [required('A')]],
  ["import { connect } from '@rollkey/sdk/node'; (await connect()).get('A_1')", [required('A_1')]],
  ["import { client } from './flags.js'; client.get('A')", []],
  ["import { connect } from '@rollkey/sdk/node'; headers.get('content-type'); rollkey.get(name)", []],
])('%s', (code, found) => {
  const sorted = variablesIn(code, false, false).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  expect(sorted).toEqual(found)
})

test('TypeScript, JSX and decorators are read', () => {
  expect(variablesIn('const a: string = process.env.A!; @d class B {}', true, false)).toEqual([required('A')])
  expect(variablesIn('const a = <string>process.env.A', true, false)).toEqual([required('A')])
  expect(variablesIn('const a = <a href={import.meta.env.VITE_A as string} />', true, true)).toEqual([
    required('VITE_A'),
  ])
})

const folder = useFolder()

test('a folder is read as one program', async () => {
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  write('a.ts', "export const port = process.env.PORT ?? '8080'")
  write('src/b.jsx', '<p>{process.env.PORT}{process.env.TITLE || "Shop"}</p>')
  write('src/c.mts', 'process.env.KEY')
  write('src/broken.js', 'const const')
  for (const file of ['types.d.ts', 'node_modules/x/index.js', '.git/x.js', 'dist/x.js', 'a.txt'])
    write(file, 'process.env.NOT')
  expect(await usedByCode(folder)).toEqual({
    declarations: [
      { name: 'KEY', required: 'all' },
      { name: 'PORT', required: 'all', example: '8080' },
      { name: 'TITLE', example: 'Shop' },
    ],
    files: 4,
    unreadable: ['src/broken.js'],
  })
})
