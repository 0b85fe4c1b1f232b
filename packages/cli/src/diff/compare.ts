import { alignByName, differingAspects, kinds, opens, type Aspect, type DigestedState } from '@rollkey/contract/rules'

type DigestedVariable = DigestedState & { readonly name: string }
type Side = 'left' | 'right'

export interface Row {
  readonly name: string
  /** `hidden`: nothing else differs, and the caller may not know whether the values do. */
  readonly state: 'only-in-left' | 'only-in-right' | 'different' | 'same' | 'hidden'
  /** The aspects that differ, if the state is `different`. */
  readonly differs?: readonly Aspect[]
  /** The sides whose stored value cannot be opened, which makes it equal to no other. Absent if all values open. */
  readonly unopened?: readonly Side[]
}

/** A stage, with `valuesHidden` if the caller may not read it. */
interface DigestedStage {
  readonly variables: readonly DigestedVariable[]
  readonly valuesHidden?: true | undefined
}

/** Returns a row for each name of either stage. */
export function compare(left: DigestedStage, right: DigestedStage): Row[] {
  const areHidden = left.valuesHidden === true || right.valuesHidden === true
  return alignByName([left.variables, right.variables]).map(({ name, variables: [one, other] }) => {
    const row = rowOf(name, one, other)
    return areHidden ? withoutValues(row) : row
  })
}

const sealed: ReadonlySet<Aspect> = new Set([
  'template',
  'pinned',
  ...Object.values(kinds).flatMap(({ values }) => values.map(({ role }) => role)),
])

/** Returns the row without what depends on values, which may be the same or not. */
function withoutValues({ differs: all, ...row }: Row): Row {
  if (row.state !== 'different') return row
  const differs = all?.filter((aspect) => !sealed.has(aspect)) ?? []
  return differs.length > 0 ? { ...row, differs } : { ...row, state: 'hidden' }
}

function rowOf(name: string, left: DigestedVariable | undefined, right: DigestedVariable | undefined): Row {
  const unopened = Object.entries({ left, right }).flatMap(([side, variable]) =>
    !variable || opens(variable) ? [] : [side as Side],
  )
  const row = { name, ...(unopened.length > 0 && { unopened }) }
  if (!right) return { ...row, state: 'only-in-left' }
  if (!left) return { ...row, state: 'only-in-right' }
  const differs = differingAspects(left, right)
  return differs.length > 0 ? { ...row, state: 'different', differs } : { ...row, state: 'same' }
}
