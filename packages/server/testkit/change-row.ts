import type { ChangeRow } from '../src/storage/changes.ts'

/** Returns the row of a change `chg_1` of the stage `stg_1` that `user_1` proposed at a time, with other fields. */
export function changeRow(proposedAtMs: number, more: Partial<ChangeRow> = {}): ChangeRow {
  return {
    id: 'chg_1',
    org_id: 'org_1',
    stage_id: 'stg_1',
    project_slug: 'shop',
    stage_slug: 'live',
    state: 'open',
    reason: 'why',
    content: '{"items":[],"source":{}}',
    digest: 'one',
    base_revision: 1,
    apply_at_ms: null,
    zone: null,
    authors: '["user_1"]',
    proposed_by: 'user_1',
    proposed_with: 'dashboard',
    proposed_at_ms: proposedAtMs,
    updated_at_ms: proposedAtMs,
    settled_by: null,
    settled_at_ms: null,
    applied_revision: null,
    problem: null,
    due_at_ms: null,
    steps_done: 0,
    delay_days: 0,
    bypass: null,
    approved_by: null,
    ...more,
  }
}
