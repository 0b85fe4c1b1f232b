/** Many variables at once, from the text of a .env file. */
import { DotenvError, limits, parseDotenv } from '@rollkey/contract/rules'
import type { PendingChange } from '../../changes/change-set.ts'
import { valueProblem } from '../editor/draft.ts'
import type { StageContents } from '../comparison.ts'

/** What a text would do to a stage, or why it cannot: a sentence. Declared types stay as they are. */
export function pastesOf(
  text: string,
  stageSlug: string,
  { variables, revision }: StageContents,
): readonly PendingChange[] | string {
  const stored = new Map(variables.map((variable) => [variable.name, variable]))
  try {
    const values = valuesIn(text)
    if (values.length > limits.entries) return `At most ${limits.entries} variables are saved at once. Paste fewer.`
    const wrong = values.flatMap(([name, value]) => {
      const problem = valueProblem(stored.get(name)?.declaredType ?? '', value, true)
      return problem === null ? [] : [`${name}: ${problem}`]
    })
    return (
      wrong[0] ??
      values.map(([name, value]) => ({
        stageSlug,
        name,
        before: stored.get(name),
        entry: { name, kind: 'secret', value },
        seen: revision,
      }))
    )
  } catch (error) {
    if (error instanceof DotenvError) return `Line ${error.line}: ${error.message}.`
    throw error
  }
}

/** Names and values. Throws DotenvError, also for a name that appears twice: which of its values is meant cannot be known. */
function valuesIn(text: string): readonly (readonly [name: string, value: string])[] {
  const lines = new Map<string, number>()
  return parseDotenv(text).map(({ name, value, line }) => {
    const first = lines.get(name)
    if (first !== undefined) throw new DotenvError(line, `${name} is already in line ${first}. Remove one of them`)
    lines.set(name, line)
    return [name, value]
  })
}
