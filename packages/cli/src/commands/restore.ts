import { differingAspects, limits, restoreEffects, type Aspect, type RestoreEffect } from '@rollkey/contract/rules'
import type { Client, HistoryChange } from '@rollkey/sdk'
import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { expectNames } from '../frame/names.ts'
import type { Cell } from '../frame/output.ts'
import { countText } from '../frame/words.ts'
import { isProposal, proposalOptions, proposeChange, type ProposalOptions } from '../frame/proposal.ts'
import { notePaused } from '../frame/paused.ts'
import { stageOf, undoText } from '../frame/stage-argument.ts'

interface Options extends ProposalOptions {
  readonly names?: readonly string[]
  readonly dryRun?: true
  readonly yes?: true
}

interface Effect {
  readonly name: string
  readonly effect: RestoreEffect<never>['effect']
  /** The aspects that change, if it is `changes`. */
  readonly differs?: readonly Aspect[]
}

/** Maximum number of changes that a preview reads, because no one would check the effects of more. */
const maxChanges = 10_000

export const restore = command<Options>({
  name: 'restore',
  args: '<REVISION>',
  summary: 'Set variables to their state at an earlier revision, in a new revision',
  target: 'stage',
  options: [
    ['--names <names...>', 'only these variables (default: the whole stage)'],
    ['--dry-run', 'only show what would change'],
    ...proposalOptions,
    ['-y, --yes', 'skip the confirmation'],
  ],
  examples: [
    ['restore 41', 'shows what changes, without values, then asks'],
    ['restore 41 --names API_KEY LIMIT', 'only these two'],
    ['restore 41 --stage prod --propose --reason "Checkout fails"', 'for others to review'],
  ],
  async run(context, [text = ''], { names, dryRun, yes, ...options }) {
    const { out, prompt, where } = context
    const past = Number(/^\d{1,15}$/.exec(text)?.[0])
    if (!(past > 0)) throw usage(`${JSON.stringify(text)} is not a revision (expected a number such as 41)`)
    const client = await context.stage()
    const stage = stageOf(context)
    const { effects, revision } = await previewOf(client, past, names)
    if (!out.isJson && prompt.isFollowed({ yes, dryRun })) show(context, effects)
    if (effects.length === 0 || dryRun) {
      if (out.isJson) out.json({ restored: past, revision, variables: effects })
      return out.note(dryRun && effects.length > 0 ? 'Nothing was changed.' : `Nothing differs from revision ${past}.`)
    }
    const what = `${countText(effects.length)} of ${where} to revision ${past}`
    if (!yes) await prompt.confirm(`${isProposal(options) ? 'Propose to restore' : 'Restore'} ${what}?`, '--yes')
    if (isProposal(options)) {
      const content = { restore: { revision: past, names }, ifRevision: revision }
      return proposeChange(context, client, content, { reason: `Restore ${what}`, ...options })
    }
    const answer = await client.restore(past, { names, ifRevision: revision })
    if (out.isJson) return out.json({ restored: past, revision: answer.revision, variables: effects })
    out.note(`Restored ${what} (revision ${answer.revision}). ${undoText(stage, revision)}`)
    await notePaused(context, client, stage, answer.revision)
  },
})

/** Returns what a restore would do, at the present revision. */
async function previewOf(
  client: Client,
  past: number,
  names: readonly string[] | undefined,
): Promise<{ readonly effects: readonly Effect[]; readonly revision: number }> {
  // This is read before the history, which then has every change that led to it.
  const { variables, revision } = await client.digests()
  if (past > revision) throw usage(`The stage has no revision ${past} yet (expected 1 to ${revision})`)
  const later = await changesSince(client, past, names?.length === 1 ? names[0] : undefined)
  expectNames(names ?? [], [...variables, ...later])
  const effects = restoreEffects(variables, later)
    .filter(({ name }) => names?.includes(name) ?? true)
    .map((each) => ({
      name: each.name,
      effect: each.effect,
      ...(each.effect === 'changes' && { differs: differingAspects(each.now, each.then) }),
    }))
  return { effects, revision }
}

/** Returns every change after a revision, the newest first. Throws USAGE if they are too many. */
async function changesSince(client: Client, revision: number, name: string | undefined): Promise<HistoryChange[]> {
  const changes: HistoryChange[] = []
  let before: number | undefined
  while (changes.length <= maxChanges) {
    const page = (await client.history({ name, before, limit: limits.historyChanges })).changes
    changes.push(...page.filter((change) => change.revision > revision))
    before = page.at(-1)?.revision
    if (page.length < limits.historyChanges || before === undefined || before <= revision + 1) return changes
  }
  throw usage(
    `More than ${maxChanges} changes were made since revision ${revision}, too many to preview (expected --names with one name)`,
  )
}

const texts: Record<Effect['effect'], Cell> = {
  changes: { text: 'change', style: 'yellow' },
  returns: { text: 'create', style: 'green' },
  goes: { text: 'delete', style: 'red' },
  unknown: { text: 'change, if its state is still kept', style: 'yellow' },
  unreadable: { text: 'change to a value that cannot be opened', style: 'red' },
}

function show({ out }: Context, effects: readonly Effect[]): void {
  if (effects.length === 0) return
  out.table(
    ['name', 'change', 'differs in'],
    effects.map(({ name, effect, differs = [] }) => [name, texts[effect], differs.join(', ')]),
  )
}
