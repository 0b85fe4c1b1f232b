/** What can be copied between two stages. */
import type { Digested, WriteEntry } from '@rollkey/contract'
import { isSame, opens, valuesOf } from '@rollkey/contract/rules'
import { differences, factsOf, valueTransition } from '../../../data/variables/comparison.ts'
import { capitalized, shownValue } from '../../../data/variables/labels.ts'
import { labels } from './labels.ts'

export interface Copy {
  readonly name: string
  readonly isNew: boolean
  /** What the target gets, or what changes there, such as ["Value 41 → 42", "chance 10 % → 25 %"]. */
  readonly facts: readonly string[]
}

/** The variables of a stage, and the entries whose values people see without a reveal, by name. */
interface Seen {
  readonly variables: readonly Digested[]
  readonly plain: ReadonlyMap<string, WriteEntry>
}

/** Returns what can be copied: the variables of `from` that open and differ in `to`. */
export function copiesOf(from: Seen, to: Seen): readonly Copy[] {
  const there = new Map(to.variables.map((variable) => [variable.name, variable]))
  return from.variables.filter(opens).flatMap((variable) => {
    const { name } = variable
    const other = there.get(name)
    if (other && isSame(variable, other)) return []
    const [before, after] = [to.plain.get(name), from.plain.get(name)]
    const values = after && !other ? valuesOf(after).map((value) => shownValue(value)) : []
    const facts = other
      ? differences(other, variable, (role) => valueTransition(role, before, after) ?? labels.changes)
      : factsOf(variable)
    const sentence = facts.map((fact, at) => (at === 0 && values.length === 0 ? capitalized(fact) : fact))
    return [{ name, isNew: !other, facts: [...values, ...sentence] }]
  })
}

/** Names of variables of the target that a copy of everything leaves as they are. */
export interface Kept {
  /** Those that are the same in both. */
  readonly same: readonly string[]
  /** Those that the target alone has. */
  readonly extra: readonly string[]
}

export function keptOf(from: readonly Digested[], to: readonly Digested[]): Kept {
  const there = new Map(from.map((variable) => [variable.name, variable]))
  const isSameThere = (variable: Digested): boolean => {
    const other = there.get(variable.name)
    return other !== undefined && opens(other) && isSame(other, variable)
  }
  return {
    same: to.filter(isSameThere).map(({ name }) => name),
    extra: to.filter(({ name }) => !there.has(name)).map(({ name }) => name),
  }
}

/** Returns the slug of the stage to which variables usually go next, in the order of the project. */
export function nextStage(slugs: readonly string[], from: string): string {
  const at = slugs.indexOf(from)
  return slugs[at + 1] ?? slugs[at - 1] ?? ''
}
