import { declarationFields, limits, problemOfDeclaration, readDeclarations, type Declaration } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'

/**
 * Passes on the declarations of a document, one by one: what is made of one is garbage before the next. Throws INVALID_REQUEST, which names
 * the variable.
 */
export async function takeDocument(document: unknown, take: (declaration: Declaration) => void): Promise<void> {
  assertFew(document)
  const slices = new TimeSlices()
  for (const read of readDeclarations(document)) {
    if (typeof read === 'string')
      throw new ApiError('INVALID_REQUEST', `document: ${read}: correct it, or see docs/declarations.md.`)
    const { data, error } = declarationFields.safeParse(read)
    const problem = data ? problemOfDeclaration(data) : error?.issues[0]
    if (problem) throw problemError(read.name, problem)
    if (data) take(data)
    if (slices.isOver) await slices.next()
  }
}

/** Throws INVALID_REQUEST if a document has more properties than a project can declare. */
function assertFew(document: unknown): void {
  const { properties } = (document ?? {}) as { readonly properties?: unknown }
  const count = Object.keys(properties ?? {}).length
  if (count > limits.declarations)
    throw new ApiError(
      'INVALID_REQUEST',
      `document has ${count} properties (maximum ${limits.declarations}): leave some out.`,
    )
}

/** Throws INVALID_REQUEST for the first declaration that cannot hold. Their fields are checked. */
export async function assertPossible(declarations: readonly Declaration[]): Promise<void> {
  const slices = new TimeSlices()
  for (const declaration of declarations) {
    const problem = problemOfDeclaration(declaration)
    if (problem)
      throw new ApiError(
        'INVALID_REQUEST',
        `${problem.path.join('.')} of ${JSON.stringify(declaration.name)} ${problem.message}.`,
      )
    if (slices.isOver) await slices.next()
  }
}

interface DeclarationProblem {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

function problemError(name: string, { path, message }: DeclarationProblem): ApiError {
  const shown = name.length <= limits.nameCharacters ? JSON.stringify(name) : 'with the longest name'
  return new ApiError(
    'INVALID_REQUEST',
    `document: the property ${shown} is not a declaration (${path.map(String).join('.') || 'it'}: ${message}): correct it, then repeat the request.`,
  )
}
