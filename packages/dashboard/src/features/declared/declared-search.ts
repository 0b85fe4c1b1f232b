/** The address of the page of declarations. */

export interface DeclaredSearch {
  /** Name of the variable whose declaration is open. It is a parameter, because it may have any characters. */
  readonly name?: string | undefined
}

export function declaredSearch({ name }: Readonly<Record<string, unknown>>): DeclaredSearch {
  // A name such as 1 or true is parsed as another type.
  return ['string', 'number', 'boolean'].includes(typeof name) && name !== '' ? { name: String(name) } : {}
}
