import type { HookRow } from '../src/storage/hooks.ts'

/** Returns the row of a new webhook with these columns. */
export function hookRow(given: Pick<HookRow, 'id' | 'org_id' | 'created_at_ms'> & Partial<HookRow>): HookRow {
  return {
    name: given.id,
    format: 'standard',
    target: 'https://example.com',
    url: Buffer.from(''),
    events: '[]',
    project_slug: null,
    stage_slug: null,
    secrets: 1,
    former_until_ms: 0,
    created_by: 'user_1',
    position: 0,
    next_attempt_at_ms: given.created_at_ms,
    attempts: 0,
    failing_since_ms: null,
    failure: null,
    off_since_ms: null,
    ...given,
  }
}
