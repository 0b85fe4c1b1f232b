/** The templates of a stage that was read. */
import { dependentsOf, templatesBySource } from '@rollkey/contract/rules'
import type { StageContents } from '../../../data/variables/comparison.ts'

type Variables = StageContents['variables']

interface Templates {
  readonly named: readonly (readonly [name: string, sources: readonly string[]])[]
  readonly bySource: ReadonlyMap<string, readonly string[]>
}

/** The templates of each state of a stage that was read: a form asks for dependents at each key. */
const templatesOf = new WeakMap<Variables, Templates>()

/** Returns the templates of a stage that name a variable, themselves or by others. */
export function dependentsIn(variables: Variables, name: string): readonly string[] {
  const templates = templatesOf.get(variables) ?? readTemplates(variables)
  templatesOf.set(variables, templates)
  return dependentsOf([name], templates.named, templates.bySource)
}

function readTemplates(variables: Variables): Templates {
  const named = variables.flatMap((each) => (each.sources ? [[each.name, each.sources] as const] : []))
  return { named, bySource: templatesBySource(named) }
}
