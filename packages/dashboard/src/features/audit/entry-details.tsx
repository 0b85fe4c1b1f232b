import type { AuditEntry } from '@rollkey/contract'
import { useState } from 'react'
import { Facts } from '../../ui/description-list.tsx'
import classes from './entry-details.module.css'

interface EntryDetailsProps {
  readonly entry: AuditEntry
}

/** All that is known of an entry, on demand. */
export function EntryDetails({ entry }: EntryDetailsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={classes['details']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Details</summary>
      {isOpen && <Facts facts={factsOf(entry)} />}
    </details>
  )
}

function factsOf({ seq, atMs, actor, client, names, revision, subject, requestId }: AuditEntry) {
  return {
    Number: seq,
    Time: new Date(atMs).toISOString(),
    'Id of who did it': actor ?? 'Deleted, like all else: details are kept for the time that the operator has set.',
    'By what': client && <bdi>{client}</bdi>,
    Variables: names && <bdi>{names.join(', ')}</bdi>,
    'Revision of the stage': revision,
    Subject: subject,
    Request: requestId,
  }
}
