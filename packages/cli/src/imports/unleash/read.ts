/** Reads the flags of an Unleash as its SDKs do: those of the project and the environment of a backend token. */
import type { Context } from '../../frame/context.ts'
import { unreadable, type ImportResult } from '../entry.ts'
import { isObject, parseJson } from '../json.ts'
import { Source, type SourceProgram } from '../source.ts'
import { mapFlag, type Flag } from './flag.ts'

const program: SourceProgram = {
  name: 'Unleash',
  tokenVariable: 'UNLEASH_TOKEN',
  tokenAdvice: 'a backend token of one project and environment',
  // Without the header Unleash-Client-Spec, each strategy has the constraints of its segments.
  headers: (token) => ({ authorization: token }),
}

/** Reads and maps all flags. Throws INVALID_IMPORT, or what a source throws. */
export async function importUnleash(context: Context, address: string): Promise<ImportResult> {
  // SDKs of Unleash take the address with this ending.
  const source = new Source(context, program, address.replace(/\/api\/?$/, ''))
  const text = (await source.read('api/client/features', [])) ?? ''
  return mapFlags(parseFlags(text))
}

/** Returns the flags of an answer. Throws INVALID_IMPORT. */
export function parseFlags(text: string): readonly Flag[] {
  const answer = parseJson(text, 'Unleash')
  const features = isObject(answer) ? answer['features'] : undefined
  if (!Array.isArray(features) || !features.every(isFlag))
    throw unreadable('Unleash', '', 'Expected its answer to SDKs, a list of flags: check --address')
  if (features.length === 0)
    throw unreadable('Unleash', '', 'The project and environment of UNLEASH_TOKEN have no flags')
  return features as Flag[]
}

function isFlag(value: unknown): boolean {
  if (!isObject(value) || !isText(value['name'])) return false
  const { strategies, variants, dependencies } = value
  return isList(strategies, isStrategy) && isList(variants ?? [], isObject) && isList(dependencies ?? [], isObject)
}

function isStrategy(value: unknown): boolean {
  if (!isObject(value) || !isText(value['name'])) return false
  const { parameters, constraints, segments, variants } = value
  const areLists = isList(segments ?? [], () => true) && isList(variants ?? [], isObject)
  return isObject(parameters ?? {}) && isList(constraints ?? [], isConstraint) && areLists
}

function isConstraint(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value['contextName']) &&
    isText(value['operator']) &&
    isList(value['values'] ?? [], isText)
  )
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isList(value: unknown, isElement: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isElement)
}

/** Maps flags. */
export function mapFlags(flags: readonly Flag[]): ImportResult {
  const mapped = flags.map(mapFlag)
  return {
    variables: mapped.flatMap((each) => ('entry' in each ? [each] : [])),
    unmapped: mapped.flatMap((each) => ('reasons' in each ? [each] : [])),
    notes: ['Users are drawn again: each roll gives the same share of them A, but not to the same ones.'],
  }
}
