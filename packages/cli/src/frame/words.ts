/**
 * What tables call a variable and its parts. A terminal shows the words of the dashboard. A pipe gets those of the API, which scripts know.
 */
import { isKind, isMoreExposed, kinds, type Aspect, type DeclaredType } from '@rollkey/contract/rules'
import type { ListedVariable } from '@rollkey/sdk/core'
import type { Output } from './output.ts'

/** The reader of a word: a person at a terminal, or a script. */
type Reader = Pick<Output, 'isTerminal'>

const typeWords: { readonly [Type in DeclaredType]?: string } = {
  string: 'text',
  int64: 'whole number',
  float: 'number',
  json: 'JSON',
}

const aspectWords: { readonly [Name in Aspect]?: string } = {
  declaredType: 'type',
  exposure: 'visibility',
  rules: 'targeting rules',
  pinned: 'pins',
  a: 'value A',
  b: 'value B',
}

function wordOf(words: Readonly<Record<string, string>>, name: string, { isTerminal }: Reader): string {
  // A newer service may have names that this version does not know.
  return isTerminal && Object.hasOwn(words, name) ? (words[name] ?? name) : name
}

/** Returns a kind: a value that is secret, plain or for clients, or an A/B roll. A pipe gets secret, value or A/B roll. */
export function kindText(
  { kind, exposure }: Pick<ListedVariable, 'kind' | 'exposure'>,
  { isTerminal }: Reader,
): string {
  if (kind === 'secret' && isTerminal) return `${exposure ?? 'secret'} value`
  if (kind === 'secret') return isMoreExposed(exposure) ? 'value' : 'secret'
  return isKind(kind) ? kinds[kind].label : kind
}

/** Returns a declared type, such as "whole number". */
export function typeText(type: string, reader: Reader): string {
  return wordOf(typeWords, type, reader)
}

/** Returns what two states differ in, such as "visibility". */
export function aspectText(aspect: string, reader: Reader): string {
  return wordOf(aspectWords, aspect, reader)
}

/** Returns on one line what people wrote. It belongs in the last column, because it may be long. */
export function lineText(text: string | undefined): string {
  return text?.replace(/\s+/g, ' ').trim() ?? '-'
}

/** Returns a count such as `2 variables`. */
export function countText(count: number, what = 'variable'): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
