/** Tests who counts as one who may approve, without a service. */
import { expect, test } from 'vitest'
import { lacksApprovers } from '../../src/access/approvers.ts'
import { Policy } from '../../src/access/policy.ts'
import type { PolicyRow } from '../../src/storage/access.ts'

const place = { projectSlug: 'shop', stageSlug: 'prod' }

function row(part: PolicyRow['part'], subject: string, detail = '', more: Partial<PolicyRow> = {}): PolicyRow {
  return { part, subject, detail, project_slug: '', stage_slug: '', number: null, ...more }
}

function onProd(subject: string, role: string, number: number | null = null): PolicyRow {
  return row('grant', subject, role, { project_slug: 'shop', stage_slug: 'prod', number })
}

/** Returns whether too few may approve what Ada proposes at 5, where the stage requires one approval and also says `rules`. */
function isShort(rows: readonly PolicyRow[], rules: object = {}): boolean {
  const stage = row('protected', '', JSON.stringify({ approvals: 1, ...rules }), {
    project_slug: 'shop',
    stage_slug: 'prod',
  })
  const policy = Policy.of('org', [row('organization', '', 'developer', { number: 1 }), stage, ...rows])
  return lacksApprovers(policy!, place, ['ada'], 5)
}

test.each<[string, readonly PolicyRow[], boolean, object?]>([
  ['no one', [], true],
  ['a person with a role that approves', [onProd('user:bob', 'releaser')], false],
  ['a person with another role', [onProd('user:bob', 'developer')], true],
  ['a person whose grant has ended', [onProd('user:bob', 'releaser', 5)], true],
  ['a person with a grant around the stage', [row('grant', 'user:bob', 'releaser')], true],
  ['the author', [onProd('user:ada', 'releaser')], true],
  ['the author, where that is allowed', [onProd('user:ada', 'releaser')], false, { selfApproval: true }],
  ['one twice', [onProd('user:bob', 'releaser'), onProd('user:bob', 'maintainer')], true, { approvals: 2 }],
  ['a machine', [onProd('token:ci', 'releaser'), onProd('email:bob@example.com', 'releaser')], true],
  ['an empty group', [onProd('group:g', 'releaser')], true],
  ['a group', [onProd('group:g', 'releaser'), row('member', 'user:bob', 'g')], false],
  ['a group that the provider reports', [onProd('group:g', 'releaser'), row('idp-group', 'on-call', 'g')], false],
  ['where none is required', [], false, { approvals: 0 }],
])('%s', (_, rows, expected, rules) => {
  expect(isShort(rows, rules)).toBe(expected)
})
