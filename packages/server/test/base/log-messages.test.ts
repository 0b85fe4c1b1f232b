/** The documented messages of the log and those of the source. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { logMessages } from '../../src/base/log-messages.ts'

const source = path.resolve(import.meta.dirname, '../../src')

interface Call {
  readonly level: string
  readonly args: string
}

/** Returns the arguments of each call of a log in a text, without line breaks. */
function callsIn(text: string): Call[] {
  return [...text.matchAll(/\blog\??\.(debug|info|warn|error)\(/gi)].map((call) => {
    let depth = 1
    let end = call.index + call[0].length
    for (; depth > 0; end++) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0
    return { level: call[1] ?? '', args: text.slice(call.index + call[0].length, end - 1).replaceAll(/\s+/g, ' ') }
  })
}

/** Returns the names of the object at the end of the arguments. */
function fieldsOf(args: string): string[] {
  const [, object = ''] = /\{(.*)\}[, ]*$/.exec(args.replaceAll(/`[^`]*`|'[^']*'/g, '')) ?? []
  return object.split(',').flatMap((field) => /^\s*(\w+)/.exec(field)?.[1] ?? [])
}

const calls = globSync('**/*.ts', { cwd: source })
  .filter((file) => file !== path.join('base', 'log.ts'))
  .flatMap((file) => callsIn(readFileSync(path.join(source, file), 'utf8')))

/** The texts of a call: several if it chooses one. */
function textsOf({ args }: Call): string[] {
  const message = args.replace(/, \{.*$/, '')
  if (message.includes('${unavailable}'))
    return ['the store is unavailable', 'the KMS is unavailable', 'request failed']
  // It names a problem of the database, of which there are many.
  if (message === 'message') return ['the database cannot be reached']
  return [...message.matchAll(/'([^']*)'/g)].map(([, text = '']) => text)
}

test('the log has the documented messages with their levels and fields, and no others', () => {
  const found = new Map<string, { level: string; fields: Set<string> }>()
  for (const call of calls) {
    for (const text of textsOf(call)) {
      const { fields } = found.get(text) ?? { fields: new Set<string>() }
      found.set(text, { level: call.level, fields: new Set([...fields, ...fieldsOf(call.args)]) })
    }
  }
  const entries = [...found].map(
    ([text, { level, fields }]) => [text, { level, fields: [...fields].toSorted() }] as const,
  )
  const documented = Object.entries(logMessages).map(
    ([text, { level, fields }]) => [text, { level, fields: fields.split(' ').filter(Boolean).toSorted() }] as const,
  )
  expect(Object.fromEntries(entries)).toEqual(Object.fromEntries(documented))
})
