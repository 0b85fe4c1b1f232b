/** Decisions in the process in a runtime with web APIs alone, as edge runtimes are: no `process`, no `node:crypto`, no `Buffer`. */
import path from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { decideKnown, knownSides } from '../testkit/vectors.ts'

/** What edge runtimes have of what the package uses (the Minimum Common Web API). */
const webApis = [
  'AbortController',
  'AbortSignal',
  'DOMException',
  'Headers',
  'ReadableStream',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'clearTimeout',
  'crypto',
  'setTimeout',
] as const

async function bundleOf(file: string): Promise<string> {
  const bundle = await rolldown({
    input: path.join(import.meta.dirname, '../src', file),
    platform: 'neutral',
    resolve: { conditionNames: ['source', 'import'] },
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'rollkey' })
  await bundle.close()
  return output[0].code
}

test('the published vectors are decided without Node', async () => {
  const context = createContext(Object.fromEntries(webApis.map((name) => [name, globalThis[name]])))
  runInContext(await bundleOf('testing/index.ts'), context)
  const found: unknown = await runInContext(`(${decideKnown})(rollkey.createTestService)`, context)
  expect(runInContext('[typeof process, typeof Buffer, typeof require]', context)).toEqual(
    Array.from({ length: 3 }, () => 'undefined'),
  )
  expect(found).toEqual(knownSides)
})
