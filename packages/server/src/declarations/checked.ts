import { declarationsOfDocument, declarationSchema, limits, type Declaration } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'

/** Returns the declarations of a document. Throws INVALID_REQUEST, which names the variable. */
export async function checkedDocument(document: unknown): Promise<Declaration[]> {
  const read = declarationsOfDocument(document)
  if ('problem' in read)
    throw new ApiError('INVALID_REQUEST', `document: ${read.problem}: correct it, or see docs/declarations.md.`)
  const { declarations } = read
  if (declarations.length > limits.declarations)
    throw new ApiError(
      'INVALID_REQUEST',
      `document has ${declarations.length} properties (maximum ${limits.declarations}): leave some out.`,
    )
  const checked: Declaration[] = []
  const slices = new TimeSlices()
  for (const declaration of declarations) {
    const { data, error } = declarationSchema.safeParse(declaration)
    if (!data) throw issueError(declaration.name, error.issues[0])
    checked.push(data)
    if (slices.isOver) await slices.next()
  }
  return checked
}

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string } | undefined

function issueError(name: string, issue: Issue): ApiError {
  const where = issue?.path.map(String).join('.') || 'it'
  const shown = name.length <= limits.nameCharacters ? JSON.stringify(name) : 'with the longest name'
  return new ApiError(
    'INVALID_REQUEST',
    `document: the property ${shown} is not a declaration (${where}: ${issue?.message ?? 'is not valid'}): correct it, then repeat the request.`,
  )
}
