import { type DeclaredType, declaredTypes } from '@rollkey/contract/rules'
import { type ShownKind, shownKinds } from '../../data/variables/labels.ts'

const sorts = ['name', 'changed', 'status'] as const
export type Sort = (typeof sorts)[number]

/** The status of a variable in any stage; `same` and `unused`: in all of them. */
export const statuses = ['same', 'different', 'missing', 'draft', 'proposed', 'unused'] as const
type StatusFilter = (typeof statuses)[number]

/** A declared type, or `none` where it is not declared. */
export type TypeFilter = DeclaredType | 'none'
const typeFilters: readonly TypeFilter[] = [...declaredTypes, 'none']

/** The search parameters of a project's page, which never contain values. */
export interface ProjectSearch {
  /** Part of a name or description. */
  readonly search?: string | undefined
  readonly kind?: ShownKind | undefined
  readonly type?: TypeFilter | undefined
  readonly status?: StatusFilter | undefined
  /** Slug of a stage that does not have the variables, in place of a status. */
  readonly missing?: string | undefined
  /** Order. Absent: by name. */
  readonly sort?: Sort | undefined
  /** Name of the variable that is open. Absent with a stage: a new one. */
  readonly variable?: string | undefined
  /** Slug of the stage in which a variable is open. */
  readonly stage?: string | undefined
}

/** Returns a parameter as text. A name such as 1 or true is parsed as another type. */
function textOf(value: unknown): string | undefined {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== '' ? String(value) : undefined
}

function oneOf<const Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((each) => each === value)
}

/** Returns the known parameters of an address. */
export function projectSearch(search: Readonly<Record<string, unknown>>): ProjectSearch {
  const sort = oneOf(sorts, search['sort'])
  const missing = textOf(search['missing'])
  // Former addresses have the parameter `differing`.
  const status = oneOf(statuses, search['status']) ?? (search['differing'] === 'yes' ? 'different' : undefined)
  const known: ProjectSearch = {
    search: textOf(search['search']),
    kind: oneOf(shownKinds, search['kind']),
    type: oneOf(typeFilters, search['type']),
    status: missing === undefined ? status : undefined,
    missing,
    sort: sort === 'name' ? undefined : sort,
    stage: textOf(search['stage']),
    variable: textOf(search['variable']),
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}
