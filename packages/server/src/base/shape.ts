/**
 * Compiles a schema to a function that allocates nothing, for requests that are sent all the time and for what comes in thousands. The
 * schema stays the one definition: its own checks run, and what is refused is parsed by it again, for the reason.
 */
import type { z } from 'zod'

/** A function that returns whether a value is valid. */
type Accepts = (value: unknown) => boolean

/**
 * Returns a function that accepts exactly what the schema accepts. Values that it accepts may be used as they are: unlike the result of
 * the schema, they still have the fields that it does not know. Throws an error for a schema that would change a value.
 *
 * @example
 * shapeOf(z.object({ name: z.string().min(1) }))({ name: 'API_KEY' }) // true
 */
export function shapeOf(schema: z.core.$ZodType): Accepts {
  const conditions = [typeOf(schema), ...checksOf(schema).map(checkOf)]
  return (value) => {
    for (const accepts of conditions) if (!accepts(value)) return false
    return true
  }
}

/** Returns what zod offers to libraries that work with its schemas. */
function internalsOf<Part extends { readonly _zod: unknown }>(part: Part): Part['_zod'] {
  // oxlint-disable-next-line no-underscore-dangle -- the documented name
  return part._zod
}

/** Returns the checks of the schema. Some schemas, such as those of `z.custom`, are checks themselves. */
function checksOf(schema: z.core.$ZodType): z.core.$ZodCheckInternals<unknown>[] {
  const { traits, def } = internalsOf(schema)
  const own = traits.has('$ZodCheck') ? [schema as unknown as z.core.$ZodCheck] : []
  return [...own, ...(def.checks ?? [])].map((check) => internalsOf(check))
}

/** Returns a function that accepts what passes the check. */
function checkOf(check: z.core.$ZodCheckInternals<unknown>): Accepts {
  // A refinement is a condition, called as it is: its check would only wrap the result.
  if ('fn' in check.def) return check.def.fn as Accepts
  const payload = { value: undefined as unknown, issues: [] as z.core.$ZodRawIssue[] }
  return (value) => {
    payload.value = value
    void check.check(payload)
    payload.value = undefined
    const isValid = payload.issues.length === 0
    payload.issues.length = 0
    return isValid
  }
}

/** Returns a function that accepts the type of the schema, without its checks. */
function typeOf(schema: z.core.$ZodType): Accepts {
  const { def } = internalsOf(schema as z.core.$ZodTypes)
  switch (def.type) {
    case 'string':
      return (value) => typeof value === 'string'
    case 'number':
      return (value) => Number.isFinite(value)
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'enum': {
      const entries = new Set<unknown>(Object.values(def.entries))
      return (value) => entries.has(value)
    }
    case 'custom':
      return () => true
    case 'optional': {
      const accepts = shapeOf(def.innerType)
      return (value) => value === undefined || accepts(value)
    }
    case 'array': {
      const accepts = shapeOf(def.element)
      return (value) => Array.isArray(value) && value.every(accepts)
    }
    case 'object':
      return objectOf(def)
    default:
      throw new Error(`a schema of the type ${def.type} cannot be compiled`)
  }
}

function objectOf({ shape, catchall }: z.core.$ZodObjectDef): Accepts {
  if (catchall) throw new Error('a schema that decides about unknown fields cannot be compiled')
  const fields = new Map(Object.entries(shape).map(([name, schema]) => [name, fieldOf(schema)]))
  const required = [...fields.values()].filter(({ isRequired }) => isRequired).length
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    let missing = required
    // A request states few of the fields that it may state.
    for (const name in value) {
      const field = fields.get(name)
      if (!field) continue
      if (!field.accepts((value as Record<string, unknown>)[name])) return false
      if (field.isRequired) missing--
    }
    return missing === 0
  }
}

function fieldOf(schema: z.core.$ZodType): { readonly accepts: Accepts; readonly isRequired: boolean } {
  const accepts = shapeOf(schema)
  return { accepts, isRequired: !accepts(undefined) }
}
