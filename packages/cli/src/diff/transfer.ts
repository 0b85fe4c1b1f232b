/** What a copy from one stage to another does to each variable, for `copy` and `promote`. */
import { limits } from '@rollkey/contract/rules'
import type { Client } from '@rollkey/sdk'
import { usage } from '../frame/cli-error.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import type { Context } from '../frame/context.ts'
import { expectNames } from '../frame/names.ts'
import type { Cell } from '../frame/output.ts'
import { stageText, type StageArgument } from '../frame/stage-argument.ts'
import { compare, type Row } from './compare.ts'

/** Two stages and how their variables differ, with the revisions at which they were compared. */
export interface Transfer {
  readonly from: StageArgument
  readonly to: StageArgument
  /** Left is `from`, right is `to`. Only the named variables, if there are names. */
  readonly rows: readonly Row[]
  readonly fromRevision: number
  readonly revision: number
}

/** What a copy may change that the target has. */
export const replaced: readonly Row['state'][] = ['different', 'hidden']

/** Compares the stages of a copy. Throws VARIABLE_NOT_FOUND if the first lacks one of `names`, and USAGE for the same stage. */
export async function transferOf(
  client: Client,
  [from, to]: readonly [StageArgument, StageArgument],
  names: readonly string[],
): Promise<Transfer> {
  if (from.project === to.project && from.stage === to.stage)
    throw usage(`${stageText(from)} cannot be copied to itself (expected two stages)`)
  const [source, target] = await Promise.all([client.at(from).digests(), client.at(to).digests()])
  expectNames(names, source.variables)
  const rows = compare(source, target)
  return {
    from,
    to,
    rows: names.length === 0 ? rows : rows.filter(({ name }) => names.includes(name)),
    fromRevision: source.revision,
    revision: target.revision,
  }
}

/** Returns the names in the given states. Throws USAGE if one request cannot have them all. */
export function namesIn({ rows }: Transfer, states: readonly Row['state'][]): string[] {
  const names = rows.filter(({ state }) => states.includes(state)).map(({ name }) => name)
  if (names.length <= limits.entries) return names
  throw usage(`${names.length} variables are too many at once (expected at most ${limits.entries}: name them)`)
}

/** Copies variables if both stages are still as they were compared, and returns the new revision. */
export async function copyNames(
  context: Context,
  client: Client,
  { from, to, fromRevision, revision }: Transfer,
  names: readonly string[],
): Promise<number> {
  const copied = (): ReturnType<Client['copyFrom']> =>
    client.at(to).copyFrom(from, names, { ifRevision: revision, fromRevision })
  return (await withConfirmation(context, client, copied, readsProtected(from))).revision
}

/** Returns why a copy needs a confirmation. */
export function readsProtected(from: StageArgument): string {
  return `This reads values of ${stageText(from)}, which is protected.`
}

/** Shows what differs. `kept`: whether variables that differ stay as they are. */
export function showTransfer({ out }: Context, { from, to, rows }: Transfer, { kept = false } = {}): void {
  const texts: Record<Row['state'], Cell> = {
    'only-in-left': { text: 'new', style: 'green' },
    different: kept ? { text: 'different, kept', style: 'dim' } : { text: 'different', style: 'yellow' },
    'only-in-right': { text: `only in ${stageText(to)}`, style: 'dim' },
    hidden: { text: kept ? 'hidden, kept' : 'hidden', style: 'dim' },
    same: 'same',
  }
  const shown = rows.filter(({ state }) => state !== 'same')
  if (shown.length > 0)
    out.table(
      ['name', 'state', 'differs in'],
      shown.map(({ name, state, differs = [] }) => [name, texts[state], differs.join(', ')]),
    )
  const same = rows.length - shown.length
  if (same > 0)
    out.note(
      `${same} ${same === 1 ? 'variable is' : 'variables are'} the same in ${stageText(from)} and ${stageText(to)}.`,
    )
}

/** Returns names such as `A, B and 3 more`. */
export function listText(names: readonly string[], most = 3): string {
  const rest = names.length - most
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
