import { ForManagers } from '../../session/require-role.tsx'
import { Page } from '../../ui/page.tsx'
import { AuditLog } from './audit-log.tsx'

export function AuditPage() {
  return (
    <Page
      title="Audit log"
      lead="What was done in the organization, and by whom. Entries stay; their details go after the time that the operator has set. Evaluations are counted, not listed."
    >
      <ForManagers what="read the audit log">
        <AuditLog />
      </ForManagers>
    </Page>
  )
}
