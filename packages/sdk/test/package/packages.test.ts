import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { publint } from 'publint'
import { rolldown } from 'rolldown'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodes } from '../../../server/testkit/nodes.ts'
import { ofAll, typeProblemsOf } from '../../../server/testkit/type-resolution.ts'
import { declarationsOf } from '../../../cli/src/typegen/declarations.ts'
import { compilers, fixtures, installProject, packages, root, run, type Project } from './project.ts'

let project: Project

beforeAll(async () => {
  project = await installProject()
})
afterAll(() => project.remove())

describe.each(packages)('%s', (name) => {
  test('passes publint', async () => {
    const { buffer } = new Uint8Array(readFileSync(project.tarballOf(name)))
    const { messages } = await publint({ pack: { tarball: buffer }, strict: true })
    expect(messages).toEqual([])
  })
})

test.each(['sdk', 'openfeature'] as const)('the types of %s resolve everywhere', async (name) => {
  expect(await typeProblemsOf(project.tarballOf(name), ofAll)).toEqual([])
})

describe.each(nodes())('installed, on %s', (executable) => {
  test('the packages work together', async () => {
    expect(JSON.parse(await run(executable, ['smoke.mjs'], project.folder))).toEqual({
      limit: '5',
      TEXT: 'text',
      flag: 5,
      url: { value: 'http://localhost:8787', source: 'default' },
      nearest: ['LIMIT'],
    })
  })

  test('rollkey runs', async () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'packages/cli/package.json'), 'utf8'))
    const bin = path.join(project.folder, 'node_modules/.bin/rollkey')
    expect(await run(executable, [bin, '--version'], project.folder)).toBe(`${version}\n`)
  })
})

function fixture(name: string): string {
  return readFileSync(path.join(fixtures, `${name}.txt`), 'utf8')
}

/** Returns the examples of a README as separate modules. */
function examplesOf(file: string): Record<string, string> {
  const text = readFileSync(path.join(root, file), 'utf8')
  const codes = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => `${code}export {}\n`)
  expect(codes.length).toBeGreaterThan(0)
  return Object.fromEntries(codes.map((code, index) => [`${file.replaceAll('/', '-')}-${index}.ts`, code]))
}

describe('user programs compile under strict', () => {
  test.each(['TypeScript 5.9', 'TypeScript 7'] as const)('with declarations, %s', async (typescript) => {
    const declarations = declarationsOf('shop/prod', [
      { name: 'API_KEY', kind: 'secret' },
      { name: 'BUTTON', kind: 'ab_roll', chance: 0.5 },
      { name: 'CHECKOUT_FLOW', kind: 'ab_roll', chance: 0.1 },
      { name: 'DATABASE_URL', kind: 'secret' },
      { name: 'LAUNCH', kind: 'secret', declaredType: 'date' },
      { name: 'LIMIT', kind: 'secret', declaredType: 'int64' },
      { name: 'NEW_CHECKOUT', kind: 'ab_roll', declaredType: 'boolean', chance: 0.2 },
      { name: 'POOL_SIZE', kind: 'secret', declaredType: 'int64' },
      { name: 'PRICES', kind: 'secret', declaredType: 'json' },
      { name: 'RATE', kind: 'secret', declaredType: 'float' },
      { name: 'it\'s "*/" \\ 名前', kind: 'secret' },
    ])
    const files = {
      'rollkey.d.ts': declarations,
      'app.ts': fixture('typed.ts'),
      'context.d.ts': readFileSync(path.join(root, 'tools/api-docs/context.d.ts.txt'), 'utf8'),
      ...examplesOf('README.md'),
      ...examplesOf('packages/sdk/README.md'),
      ...examplesOf('packages/openfeature/README.md'),
      ...examplesOf('docs/rolls.md'),
    }
    const options = { lib: ['es2023'], types: ['node'], typeRoots: [path.join(root, 'node_modules/@types')] }
    await expectCompiles(typescript, project.part(typescript, files, options))
  })

  test('with declarations, where a program imports only the entry of Node', async () => {
    const files = {
      'rollkey.d.ts': declarationsOf('shop/prod', [{ name: 'RATE', kind: 'secret', declaredType: 'float' }]),
      'app.ts': `import { connect } from '@rollkey/sdk/node'
const rollkey = await connect()
export const rate: number = await rollkey.get('RATE')
// @ts-expect-error There is no such variable.
await rollkey.get('RTAE')
`,
    }
    await expectCompiles('TypeScript 7', project.part('node-entry', files, { lib: ['es2023', 'dom'], types: [] }))
  })

  describe.each(['commonjs', 'module'] as const)('with declarations, in files of both forms, %s', (type) => {
    test.each([
      { typescript: 'TypeScript 4.9', module: 'node16' },
      { typescript: 'TypeScript 5.9', module: 'nodenext' },
      { typescript: 'TypeScript 7', module: 'nodenext' },
      { typescript: 'TypeScript 7', module: 'preserve' },
    ] as const)('$typescript, $module', async ({ typescript, module }) => {
      const files = {
        'package.json': JSON.stringify({ type }),
        'node.d.ts': fixture('node.d.ts'),
        'rollkey.d.ts': declarationsOf('shop/prod', [
          { name: 'LIMIT', kind: 'secret', declaredType: 'int64' },
          { name: 'TEXT', kind: 'secret' },
        ]),
        ...Object.fromEntries(['a.ts', 'b.mts', 'c.cts'].map((file) => [file, fixture('forms.ts')])),
      }
      const options = { module, lib: ['es2022', 'dom'], types: [] }
      await expectCompiles(typescript, project.part(`forms ${type} ${typescript} ${module}`, files, options))
    })
  })

  test('without declarations and without the types of Node', async () => {
    const options = { lib: ['es2023', 'dom'], types: [] }
    await expectCompiles('TypeScript 7', project.part('browser', { 'app.ts': fixture('browser.ts') }, options))
  })
})

interface Way {
  readonly typescript: keyof typeof compilers
  readonly type: 'commonjs' | 'module'
  readonly options: { readonly module: string; readonly moduleResolution?: string }
}

/** Ways to compile a program. */
const commonJs: Way = { typescript: 'TypeScript 7', type: 'commonjs', options: { module: 'nodenext' } }
const esModule: Way = {
  typescript: 'TypeScript 7',
  type: 'module',
  options: { module: 'esnext', moduleResolution: 'bundler' },
}
const oldCommonJs: Way = {
  typescript: 'TypeScript 4.9',
  type: 'commonjs',
  options: { module: 'commonjs', moduleResolution: 'node' },
}
const oldModule: Way = { typescript: 'TypeScript 4.9', type: 'module', options: { module: 'node16' } }

const compiled = new Map<Way, Promise<string>>()

/** Compiles `consumer.ts.txt` with declarations of its variables, once. Returns the folder with `app.js`. */
function compileConsumer(way: Way): Promise<string> {
  const folder = compiled.get(way) ?? compile(way)
  compiled.set(way, folder)
  return folder
}

async function compile({ typescript, type, options }: Way): Promise<string> {
  const declarations = declarationsOf('shop/prod', [
    { name: 'LIMIT', kind: 'secret', declaredType: 'int64' },
    { name: 'OTHER', kind: 'secret' },
  ])
  const files = {
    'package.json': JSON.stringify({ type }),
    'app.ts': fixture('consumer.ts'),
    'node.d.ts': fixture('node.d.ts'),
    'rollkey.d.ts': declarations,
  }
  const name = `${typescript} ${options.module}`
  const folder = project.part(name, files, { ...options, lib: ['es2022', 'dom'], types: [], noEmit: false })
  await expectCompiles(typescript, folder)
  return folder
}

/** What the consumer prints if it has one copy of the SDK. */
const printed = { limit: '5', flag: 5, code: 'VARIABLE_NOT_FOUND', isOneCopy: true }

describe('a consumer', () => {
  const ways = [oldCommonJs, oldModule, commonJs, esModule]

  test.each(ways)('compiles and runs: $typescript, $options.module', async (way) => {
    const folder = await compileConsumer(way)
    expect(JSON.parse(await run(process.execPath, ['app.js'], folder))).toEqual(printed)
  })

  test.each(nodes())('runs where require loads no ES modules, as in Jest: %s', async (executable) => {
    const folder = await compileConsumer(commonJs)
    const output = await run(executable, ['--no-experimental-require-module', 'app.js'], folder)
    expect(JSON.parse(output)).toEqual({ ...printed, isOneCopy: false })
  })

  test('runs after rolldown has bundled it', async () => {
    const folder = await compileConsumer(commonJs)
    const bundle = await rolldown({ input: path.join(folder, 'app.js'), platform: 'node' })
    await bundle.write({ file: path.join(folder, 'bundle.js'), format: 'cjs', codeSplitting: false })
    expect(JSON.parse(await run(process.execPath, ['bundle.js'], folder))).toEqual(printed)
  })

  test('runs after Vite has bundled it', async () => {
    const folder = await compileConsumer(esModule)
    const options = { ssr: 'app.js', outDir: 'bundle', rolldownOptions: { output: { entryFileNames: 'app.js' } } }
    await build({ root: folder, configFile: false, logLevel: 'error', ssr: { noExternal: true }, build: options })
    expect(JSON.parse(await run(process.execPath, ['bundle/app.js'], folder))).toEqual(printed)
  })
})

test('webpack and Turbopack do not fail where the package of the keychain is not installed', () => {
  const code = readFileSync(path.join(project.folder, 'node_modules/@rollkey/sdk/dist/node/keychain.js'), 'utf8')
  expect(code).toContain(`import(/* webpackIgnore: true */ '@napi-rs/keyring')`)
})

test.each(['sdk', 'sdk/core', 'sdk/testing'])('@rollkey/%s imports nothing of Node', async (name) => {
  const input = path.join(project.folder, `${name.replace('/', '-')}.mjs`)
  writeFileSync(input, `export * from '@rollkey/${name}'`)
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ codeSplitting: false })
  expect(output[0].imports).toEqual([])
})

async function expectCompiles(typescript: keyof typeof compilers, folder: string): Promise<void> {
  expect(await run(process.execPath, [compilers[typescript], '-p', folder], folder)).toBe('')
}
