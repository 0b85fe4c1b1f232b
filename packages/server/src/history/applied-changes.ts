/** The proposed changes that made revisions, as the answers about a history have them. */
import type { Response } from '@rollkey/contract'
import { appliedChanges } from '../storage/changes.ts'
import type { RevisionId } from '../storage/history.ts'
import type { Reader } from '../storage/sql.ts'

type AppliedChange = Pick<Response<'history'>['changes'][number], 'changeId' | 'reason' | 'proposedBy' | 'proposedWith'>

/** Returns a function that returns what a revision says of the change that made it: nothing if it was written directly. */
export async function changesOfRevisions(
  sql: Reader,
  revisions: readonly RevisionId[],
): Promise<(revision: RevisionId) => AppliedChange> {
  const found = new Map<string, AppliedChange>()
  for (const row of await appliedChanges(sql, revisions)) {
    const { id: changeId, reason, proposed_by: proposedBy, proposed_with: proposedWith } = row
    found.set(`${row.stage_id} ${row.applied_revision}`, { changeId, reason, proposedBy, proposedWith })
  }
  return ({ stageId, revision }) => found.get(`${stageId} ${revision}`) ?? {}
}
