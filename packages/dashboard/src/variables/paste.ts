/** Many variables at once, from the text of a .env file. */
import { limits } from '@rollkey/contract'
import type { PendingChange } from './changes.ts'
import { valueProblem } from './draft.ts'
import { parseDotenv, UnreadableText } from './dotenv.ts'
import type { StageContents } from './comparison.ts'

/** What a text would do to a stage, or why it cannot: a sentence. Declared types stay as they are. */
export function pastesOf(
  text: string,
  stageSlug: string,
  { variables, revision }: StageContents,
): readonly PendingChange[] | string {
  const stored = new Map(variables.map((variable) => [variable.name, variable]))
  try {
    const values = [...parseDotenv(text)]
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
    if (error instanceof UnreadableText) return error.message
    throw error
  }
}
