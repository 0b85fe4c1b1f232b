import {
  declarationFields,
  limits,
  problemOfDeclaration,
  readDeclarations,
  type Declaration,
  type ReadDeclaration,
} from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { shapeOf } from '../base/shape.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'

/** Returns whether the fields of a declaration are as they must be. */
const hasFields = shapeOf(declarationFields) as (read: ReadDeclaration) => read is ReadDeclaration & Declaration

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
    const declaration = checked(read)
    const problem = problemOfDeclaration(declaration)
    if (problem) throw problemError(read.name, problem)
    take(declaration)
    if (slices.isOver) await slices.next()
  }
}

function checked(read: ReadDeclaration): Declaration {
  // It has no fields that the schema does not know.
  if (hasFields(read)) return read
  const { data, error } = declarationFields.safeParse(read)
  if (error?.issues[0]) throw problemError(read.name, error.issues[0])
  return data as Declaration
}

/** Throws INVALID_REQUEST if a document has more properties than a project can declare, or requires more names. */
function assertFew(document: unknown): void {
  const { properties, required } = (document ?? {}) as { readonly properties?: unknown; readonly required?: unknown }
  const count = Object.keys(properties ?? {}).length
  const names = Array.isArray(required) ? required.length : 0
  const tooMany =
    (count > limits.declarations && `has ${count} properties`) ||
    (names > limits.declarations && `requires ${names} names`)
  if (tooMany)
    throw new ApiError('INVALID_REQUEST', `document ${tooMany} (maximum ${limits.declarations}): leave some out.`)
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
