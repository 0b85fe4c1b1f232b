/** Turns the first issue that zod reports into a sentence that names fields, and variables, and quotes nothing else of the request. */
import { kindNames, limits } from '@rollkey/contract'
import type { z } from 'zod'
import type { Endpoint } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import { shapeOf } from '../../base/shape.ts'
import type { Step } from './step.ts'

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')
}

/** Returns where an issue is: in a list of what has names, such as variables, the field and the name, otherwise the path. */
function whereOf(path: readonly PropertyKey[], input: unknown): string {
  let within = input
  for (const [index, part] of path.entries()) {
    within = (within as Record<PropertyKey, unknown>)[part]
    const name = typeof part === 'number' ? nameOf(within) : undefined
    const field = pathText(path.slice(index + 1))
    if (name !== undefined && field !== 'name') return `${field === '' ? '' : `${field} of `}${JSON.stringify(name)}`
    // The issue may be that something on the way is missing.
    if (typeof within !== 'object' || within === null) break
  }
  return pathText(path) || 'The body'
}

/** Returns the name of an item, if it has one that a person can recognize. */
function nameOf(item: unknown): string | undefined {
  const { name } = (item ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' && name !== '' && name.length <= limits.nameCharacters ? name : undefined
}

function issueText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'custom':
      return issue.message
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${article(issue.expected)}`
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
    case 'invalid_union':
      return `must be ${alternatives.format(kindNames.map((kind) => JSON.stringify(kind)))}`
    case 'too_small':
      return `must be at least ${issue.minimum}`
    case 'too_big':
      return issue.origin === 'array' ? `must have at most ${issue.maximum} items` : `must be at most ${issue.maximum}`
    case 'invalid_format':
      return issue.message
    default:
      return 'is not valid'
  }
}

/** Joins kinds, the only discriminator of a union in the contract. */
const alternatives = new Intl.ListFormat('en', { type: 'disjunction' })

function article(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`
}

/** Validates the input with the contract's schema. Throws INVALID_REQUEST. */
export const validate = ({ request: schema, metered }: Pick<Endpoint, 'request' | 'metered'>): Step => {
  const accepts = metered ? shapeOf(schema) : undefined
  return (context) => {
    const take = (input: unknown): undefined => {
      context.body = (accepts?.(input) ? input : parse(schema, input)) as never
    }
    return context.input?.then(take)
  }
}

const options = { reportInput: true }

/** Throws INVALID_REQUEST. */
function parse(schema: z.ZodType, input: unknown): unknown {
  const parsed = schema.safeParse(input, options)
  if (!parsed.success) throw invalidRequest(parsed.error, input)
  return parsed.data
}

function invalidRequest({ issues: [issue] }: z.ZodError, input: unknown): ApiError {
  if (!issue) return new ApiError('INVALID_REQUEST')
  return new ApiError('INVALID_REQUEST', `${whereOf(issue.path, input)} ${issueText(issue)}.`)
}
