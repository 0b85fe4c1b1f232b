import type { Client, Project } from '@rollkey/sdk'
import { freezeEndMs } from '@rollkey/contract/rules'
import {
  copyNames,
  listText,
  namesIn,
  replaced,
  readsProtected,
  showTransfer,
  transferOf,
  type Transfer,
} from '../diff/transfer.ts'
import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import type { Context } from '../frame/context.ts'
import { isProposal, proposalOptions, proposeChange, type ProposalOptions } from '../frame/proposal.ts'
import { notePaused } from '../frame/paused.ts'
import { parseStage, stageText, undoText, type StageArgument } from '../frame/stage-argument.ts'
import { countText } from '../frame/words.ts'

interface Options extends ProposalOptions {
  readonly dryRun?: true
  readonly yes?: true
}

export const promote = command<Options>({
  name: 'promote',
  args: '[FROM] [TO] [NAMES...]',
  summary: 'Promote variables to the next stage, or to another; proposes a change where that needs approval',
  completes: ['stage', 'stage', 'variable'],
  target: 'stage',
  options: [
    ['--dry-run', 'only show what is new and what differs'],
    ...proposalOptions,
    ['-y, --yes', 'skip the confirmation'],
  ],
  examples: [
    ['promote', 'from the stage of rollkey.json to the next one; shows what changes and asks'],
    ['promote staging', 'from staging to the stage after it'],
    ['promote staging prod NEW_CHECKOUT LIMIT', 'only these two'],
    ['promote staging --reason "Release 12" --at 2d', 'for review, applied in two days'],
  ],
  async run(context, [fromName, toName, ...names], { dryRun, yes, ...options }) {
    const { out, prompt } = context
    const client = await context.service()
    const { projects } = await client.projects()
    const from = fromOf(context, fromName)
    const to = toName === undefined ? await nextOf(client, projects, from) : parseStage(context, toName)
    const transfer = await transferOf(client, [from, to], names)
    const promoted = namesIn(transfer, ['only-in-left', ...replaced])
    if (!out.isJson && (promoted.length === 0 || prompt.isFollowed({ yes, dryRun }))) showTransfer(context, transfer)
    const what = `${countText(promoted.length)} from ${stageText(from)} to ${stageText(to)}`
    if (promoted.length === 0 || dryRun) {
      if (out.isJson) return out.json({ from, to, names: promoted })
      return out.note(promoted.length > 0 ? `Nothing was changed. Without --dry-run: ${what}.` : 'Nothing to promote.')
    }
    const isProposed = isProposal(options) || !takesWrites(projects, to)
    if (!yes) await prompt.confirm(`${isProposed ? 'Propose to promote' : 'Promote'} ${what}?`, '--yes')
    if (isProposed) return proposeCopy(context, client, transfer, { names: promoted, options })
    const revision = await copyNames(context, client, transfer, promoted)
    if (out.isJson) return out.json({ from, to, names: promoted, revision })
    out.note(`Promoted ${what} (revision ${revision}).`)
    out.note(undoText(to, transfer.revision))
    await notePaused(context, client, to, revision)
  },
})

/** Proposes to copy variables, for review by others. */
function proposeCopy(
  context: Context,
  client: Client,
  { from, to, fromRevision, revision }: Transfer,
  { names, options }: { readonly names: readonly string[]; readonly options: ProposalOptions },
): Promise<void> {
  const copy = { from: { projectSlug: from.project, stageSlug: from.stage }, names, fromRevision }
  const reason = `Promote ${listText(names)} from ${stageText(from)}`
  const proposed = (): Promise<void> =>
    proposeChange(context, client.at(to), { copy, ifRevision: revision }, { reason, ...options })
  return withConfirmation(context, client, proposed, readsProtected(from))
}

/** Returns the stage of the argument or of the settings. */
function fromOf(context: Context, name: string | undefined): StageArgument {
  const from = name ?? context.settings.stage?.value
  if (from === undefined) throw usage('No stage is set (expected FROM or --stage)')
  return parseStage(context, from)
}

/** Returns the next stage of the project that is not archived. */
async function nextOf(
  client: Client,
  projects: readonly Project[],
  { project, stage }: StageArgument,
): Promise<StageArgument> {
  const stages = projects.find(({ projectSlug }) => projectSlug === project)?.stages ?? []
  const at = stages.findIndex(({ stageSlug }) => stageSlug === stage)
  // Throws STAGE_NOT_FOUND with similar names.
  if (at < 0) await client.at({ project, stage }).list()
  const next = stages.slice(at + 1).find(({ archivedAtMs }) => archivedAtMs === undefined)
  if (next) return { project, stage: next.stageSlug }
  const order = stages.map(({ stageSlug }) => stageSlug).join(', ')
  throw usage(`${project}/${stage} is the last stage of its project (the order is ${order}; expected FROM TO)`)
}

/** Returns whether a stage needs no approval and is not frozen. */
function takesWrites(projects: readonly Project[], { project, stage }: StageArgument): boolean {
  const protection = projects
    .find(({ projectSlug }) => projectSlug === project)
    ?.stages.find(({ stageSlug }) => stageSlug === stage)?.protection
  return !protection || (protection.approvals === 0 && freezeEndMs(protection.freezes, Date.now()) === undefined)
}
