import { command } from '../frame/command.ts'

function day(timeMs: number | undefined): string {
  return timeMs === undefined ? 'never' : new Date(timeMs).toISOString().slice(0, 10)
}

export const trustList = command({
  name: 'trust list',
  summary: 'List the trusts of the organization',
  target: 'organization',
  examples: [
    ['trust list', 'issuer, claims, scope, role and last use of each trust'],
    ['trust list --json', 'for a script'],
  ],
  async run(context) {
    const { out } = context
    const { trusts } = await (await context.service()).manage.trusts.list()
    if (out.isJson) return out.json({ trusts })
    const rows = trusts.map(({ id, name, issuer, claims, projectSlug = '*', stageSlug = '*', role, lastUsedAtMs }) => [
      id,
      name,
      issuer,
      claims.map((claim) => `${claim.name}=${claim.value}`).join(' '),
      `${projectSlug}/${stageSlug}`,
      role,
      day(lastUsedAtMs),
    ])
    out.table(['id', 'name', 'issuer', 'claims', 'scope', 'role', 'last used'], rows)
    if (rows.length === 0) out.note('There are no trusts. Create one with rollkey trust create.')
  },
})
