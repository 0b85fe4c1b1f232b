/** Reads the requests of OFREP. */
import { isUtf8 } from 'node:buffer'
import { limits } from '@rollkey/contract'
import type { RollRequest } from '../../evaluation/choose.ts'
import type { RequestContext } from '../request-context.ts'
import { OfrepError } from './ofrep-error.ts'

export const targetingKeyMissing =
  'The value depends on the targeting key: send context.targetingKey, or context.rollKey.'

/**
 * Returns the key that the URL of a request names, if its path names one. Some providers do not encode it, so a query belongs to the
 * key: without it, the request would get the value of another flag.
 */
export function keyOf({ params, query }: Pick<RequestContext, 'params' | 'query'>): string | undefined {
  const { key } = params
  if (key === undefined) return undefined
  const text = query === '' ? key : `${key}?${query}`
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses the body. Throws OfrepError without the parser's message, which would quote the body. */
function parse(bytes: Buffer): Readonly<Record<string, unknown>> {
  let body: unknown
  try {
    body = isUtf8(bytes) ? JSON.parse(bytes.toString()) : undefined
  } catch {}
  if (isObject(body)) return body
  throw new OfrepError('PARSE_ERROR', 'The body is not a JSON object in UTF-8: send {"context": {…}}.')
}

/** Returns a text of the context. Null counts as absent, as some languages send it. Throws OfrepError. */
function textOf(context: Readonly<Record<string, unknown>>, attribute: 'targetingKey' | 'rollKey'): string | undefined {
  const text = context[attribute] ?? undefined
  if (text === undefined) return undefined
  // A value of another type cannot be a seed, and each type of it would be another one.
  if (typeof text === 'string' && text.isWellFormed() && fitsSeed(text)) return text
  throw new OfrepError(
    'INVALID_CONTEXT',
    `context.${attribute} is not a text of at most ${limits.seedBytes} bytes of UTF-8: correct it.`,
  )
}

function fitsSeed(text: string): boolean {
  return text.length * 3 <= limits.seedBytes || Buffer.byteLength(text) <= limits.seedBytes
}

/** Returns who asks, from the body of a request. All other attributes are for targeting rules. Throws OfrepError. */
export function rollOf(bytes: Buffer): RollRequest {
  const { context } = parse(bytes)
  if (!isObject(context))
    throw new OfrepError('INVALID_CONTEXT', 'The body has no object context: send {"context": {…}}.')
  const { targetingKey: _, rollKey: __, ...attributes } = context
  return { seed: textOf(context, 'targetingKey'), key: textOf(context, 'rollKey'), context: attributes }
}
