import type { TrustRow } from '../src/storage/trusts.ts'

/** Returns the row of a trust `tru_1` that `user_1` created at a time, with other fields. */
export function trustRow(createdAtMs: number, more: Partial<TrustRow> = {}): TrustRow {
  return {
    id: 'tru_1',
    org_id: 'org_1',
    name: 'deploy',
    issuer: 'https://gitlab.com',
    audience: 'https://rollkey.example.com',
    claims: '[{"name":"project_id","value":"1"}]',
    project_slug: 'shop',
    stage_slug: 'live',
    role: 'reader',
    history: 0,
    lifetime_sec: 900,
    forks: 0,
    jwks: null,
    version: 0,
    created_by: 'user_1',
    created_at_ms: createdAtMs,
    updated_at_ms: createdAtMs,
    last_used_at_ms: null,
    ...more,
  }
}
