import { findChange } from '../frame/change.ts'
import { command } from '../frame/command.ts'

interface Options {
  readonly bypass?: string
}

export const changeApply = command<Options>({
  name: 'change apply',
  args: '<CHANGE>',
  summary: 'Write a proposed change to its stage, all or nothing',
  completes: ['change', undefined],
  target: 'stage',
  options: [
    ['--bypass <reason>', 'without the approvals or in a freeze, for who may do that; the audit log shows the reason'],
  ],
  examples: [
    ['change apply chg_N3iXqTsLr2c1vB8eYzQa', 'fails if one of its variables has changed since it was proposed'],
  ],
  async run(context, [id = ''], { bypass }) {
    const { out } = context
    const { client, change, where } = await findChange(context, id)
    const { created, updated, deleted, revision } = await client.manage.changes.apply(id, {
      digest: change.digest,
      bypass,
    })
    if (out.isJson) return out.json({ id, revision, created, updated, deleted })
    const names = [...created, ...updated, ...deleted]
    out.note(`Applied ${id} to ${where}: ${names.join(', ')} (revision ${revision}).`)
  },
})
