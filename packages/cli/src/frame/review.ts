/** Reviews of proposed changes. */
import type { Context } from './context.ts'
import { findChange, itemHead, itemRows } from './change.ts'
import { nextText } from './proposal.ts'

export interface ReviewOptions {
  readonly comment?: string
  readonly yes?: true
}

/** Shows a change, asks, and reviews exactly what was shown. */
export async function review(
  context: Context,
  id: string,
  verdict: 'approve' | 'reject',
  { comment, yes }: ReviewOptions,
): Promise<void> {
  const { out, prompt } = context
  const { client, change, where } = await findChange(context, id)
  if (!yes) {
    out.note(`Reason: ${change.reason}`)
    if (prompt.isPossible && !out.isJson) out.table(itemHead, itemRows(change))
    await prompt.confirm(`${verdict === 'approve' ? 'Approve' : 'Reject'} this change of ${where}?`, '--yes')
  }
  const reviewed = await client.manage.changes.review(id, { digest: change.digest, verdict, comment })
  if (out.isJson) return out.json({ id, verdict, approvals: reviewed.approvals })
  out.note(`${verdict === 'approve' ? 'Approved' : 'Rejected'} ${id} of ${where}. ${nextText(reviewed)}`)
}
