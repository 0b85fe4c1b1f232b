/** The output of a Node that is too old: one sentence, from the command line and from the scripts of npm ci and npm start. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { useFolder } from '../../../server/testkit/folder.ts'

const root = path.resolve(import.meta.dirname, '../../../..')
const folder = useFolder()

/** Runs this Node with the version of another one, without the APIs that the other one lacks. */
function asNode(version: string, file: string): Promise<{ status: number; output: string }> {
  const script = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })
    Object.defineProperty(process, 'version', { value: 'v${version}' })`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(script)}`, file, '--version']
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ status: Number(error?.code ?? 0), output: stdout + stderr })
    })
  })
}

const files = [
  'packages/cli/bin/rollkey.js',
  'packages/server/bin/rollkey-server.js',
  'tools/node.mjs',
  'tools/build.mjs',
]

describe('a Node that is too old', () => {
  test.each(['12.22.12', '18.20.8', '20.18.3'])('%s prints one sentence', async (version) => {
    for (const file of files) {
      const { status, output } = await asNode(version, path.join(root, file))
      expect(status, file).toBe(1)
      expect(output, file).toMatch(
        new RegExp(`^Rollkey needs Node 20.19 or newer; this is v${version}. Install a newer one from \\S+\n$`, 'i'),
      )
    }
  })

  test('prints it also from the bundle of the command line', async () => {
    const file = path.join(folder, 'rollkey.mjs')
    copyFileSync(path.join(root, 'packages/cli/dist/rollkey.js'), file)
    expect(await asNode('18.20.8', file)).toEqual({
      status: 1,
      output: 'rollkey needs Node 20.19 or newer; this is v18.20.8. Install a newer one from https://nodejs.org.\n',
    })
    expect(await asNode('20.19.0', file)).toMatchObject({ status: 0 })
    // An import of a name that an old Node lacks would fail before the first line.
    const sources = [...readFileSync(file, 'utf8').matchAll(/\bimport[^(;]+?from"([^"]+)"/g)].map(([, from]) => from)
    expect(new Set(sources)).toEqual(new Set(['node:module']))
  })

  test('the command line says before its first build how to build it', async () => {
    const bin = path.join(folder, 'checkout/bin')
    mkdirSync(bin, { recursive: true })
    copyFileSync(path.join(root, 'packages/cli/bin/rollkey.js'), path.join(bin, 'rollkey.mjs'))
    const notBuilt = { status: 1, output: 'The command line is not built: run npm run build.\n' }
    expect(await asNode(process.versions.node, path.join(bin, 'rollkey.mjs'))).toEqual(notBuilt)
    mkdirSync(path.join(bin, '../dist'))
    writeFileSync(path.join(bin, '../dist/rollkey.js'), "import './gone.js'")
    const broken = await asNode(process.versions.node, path.join(bin, 'rollkey.mjs'))
    expect(broken.output).toContain('ERR_MODULE_NOT_FOUND')
  })

  // An old Node cannot parse newer syntax, and would print an error of the parser instead.
  const imported = ['packages/server/bin/published.js', 'tools/run-node.mjs', 'tools/needs-node.mjs']
  test.each([...files, ...imported])('can parse %s', (file) => {
    expect(readFileSync(path.join(root, file), 'utf8')).not.toMatch(
      /\?\?|\?\.\D|(\|\||&&)=|^ *#\w+ *[=(]|^await |import\.meta\.[^u]/m,
    )
  })
})
