/** The search parameters of a project's page. None is a value. */
export interface ProjectSearch {
  /** Part of the name of variables. */
  readonly search?: string
  /** Name of the variable that is open. Absent with a stage: a new one. */
  readonly variable?: string
  /** Slug of the stage in which a variable is open. */
  readonly stage?: string
}

const parameters = ['search', 'variable', 'stage'] as const

/** Returns the known parameters of an address. A name such as 1 or true is parsed as another type. */
export function projectSearch(search: Readonly<Record<string, unknown>>): ProjectSearch {
  return Object.fromEntries(
    parameters.flatMap((name) => {
      const value = search[name]
      return ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)]] : []
    }),
  )
}
