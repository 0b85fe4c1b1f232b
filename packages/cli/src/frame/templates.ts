/** Templates of a stage, as its list shows them. */
import { dependentsOf } from '@rollkey/contract/rules'
import type { ListedVariable } from '@rollkey/sdk/core'

/** Returns the templates of a stage that name one of the variables, by themselves or by others, without those among `names`. */
export function templatesOf(names: readonly string[], variables: readonly ListedVariable[]): string[] {
  const templates = variables.flatMap(({ name, sources }) => (sources ? [[name, sources] as const] : []))
  return dependentsOf(names, templates).filter((name) => !names.includes(name))
}
