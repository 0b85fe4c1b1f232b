import type { Step } from './step.ts'

/** Takes the input from the query. */
export const readQuery: Step = (context) => {
  context.input ??= Promise.resolve(fieldsOf(context.query))
}

/**
 * Parses a query. A repeated field becomes an array, which the schema refuses because it expects a string. An invalid percent
 * escape becomes U+FFFD.
 */
function fieldsOf(query: string): Record<string, unknown> {
  const fields = Object.create(null) as Record<string, unknown>
  const params = new URLSearchParams(query)
  for (const name of params.keys()) {
    const all = params.getAll(name)
    fields[name] = all.length === 1 ? all[0] : all
  }
  return { ...fields }
}
