/** Many variables at once, from the text of a .env file. */
import { limits, type Digested, type WriteEntry } from '@rollkey/contract'
import { valueProblem } from './draft.ts'
import { parseDotenv, UnreadableText } from './dotenv.ts'
import { saveAsPreviewed } from './previewed.ts'
import { ask, type Scope } from './scope.ts'
import type { Place } from './stage.ts'

export interface Paste {
  readonly entry: WriteEntry
  readonly effect: 'new' | 'replaces' | 'replaces an A/B roll'
}

/** What a text would do to a stage, or why it cannot: a sentence. Declared types stay as they are. */
export function pastesOf(text: string, stage: readonly Digested[]): readonly Paste[] | string {
  const there = new Map(stage.map((variable) => [variable.name, variable]))
  try {
    const values = [...parseDotenv(text)]
    if (values.length > limits.entries) return `At most ${limits.entries} variables are saved at once. Paste fewer.`
    const wrong = values.flatMap(([name, value]) => {
      const problem = valueProblem(there.get(name)?.declaredType ?? '', value, true)
      return problem === null ? [] : [`${name}: ${problem}`]
    })
    return wrong[0] ?? values.map(([name, value]) => pasteOf(name, value, there.get(name)))
  } catch (error) {
    if (error instanceof UnreadableText) return error.message
    throw error
  }
}

function pasteOf(name: string, value: string, stored: Digested | undefined): Paste {
  const effect = stored ? (stored.kind === 'secret' ? 'replaces' : 'replaces an A/B roll') : 'new'
  return { entry: { name, kind: 'secret', value }, effect }
}

/** All or nothing, and only while the stage is as it was shown. */
export function savePastes(scope: Scope, place: Place, pastes: readonly Paste[], revision: number): Promise<void> {
  const entries = pastes.map(({ entry }) => entry)
  return saveAsPreviewed(() =>
    ask(scope, '/v1/env/write', { ...place, mode: 'upsert', entries, deletes: [], ifRevision: revision }),
  )
}
