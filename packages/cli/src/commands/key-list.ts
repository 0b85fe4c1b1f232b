import { command } from '../frame/command.ts'

function day(timeMs: number | undefined): string {
  return timeMs === undefined ? 'never' : new Date(timeMs).toISOString().slice(0, 10)
}

export const keyList = command({
  name: 'key list',
  summary: 'List the client keys of the organization, which may be public',
  target: 'organization',
  examples: [
    ['key list', 'key, stage, origins and evaluations of this month'],
    ['key list --json', 'for a script'],
  ],
  async run(context) {
    const { out } = context
    const { keys } = await (await context.service()).manage.keys.list()
    if (out.isJson) return out.json({ keys })
    const rows = keys.map((each) => [
      each.id,
      each.name,
      `${each.projectSlug}/${each.stageSlug}`,
      each.origins.join(' ') || '(apps only)',
      `${each.evaluationsThisMonth} of ${each.evaluationsPerMonth}`,
      day(each.lastUsedAtMs),
      each.key,
    ])
    out.table(['id', 'name', 'stage', 'origins', 'this month', 'last used', 'key'], rows)
    if (rows.length === 0) out.note('There are no client keys. Create one with rollkey key create.')
  },
})
