/** All operator commands. */
import { doctor } from './doctor.ts'
import { resetLink, secondFactorRemove, setEmail, setup, setupLink, signingKeysRevoke } from './accounts.ts'
import { auditExport, auditKey, auditVerify, auditVerifyFile } from './audit.ts'
import { backupCreate, backupNewKey, backupRestore, backupVerify } from './backup.ts'
import { billingCustomer, billingRetry, billingSettle, billingStatus } from './billing.ts'
import type { OperatorCommand } from './command.ts'
import { exportAll } from './export.ts'
import { health } from './health.ts'
import { importAll } from './import.ts'
import { dataKeyRotate, keyRotate, keyStatus } from './keys.ts'
import { outbox, outboxRetry } from './outbox.ts'
import { replicaRestore, replicaStatus, replicaVerify } from './replica.ts'
import { standby, standbyPromote } from './standby.ts'
import { supportBundle } from './support-bundle.ts'
import { sessionList, sessionRevoke } from './sessions.ts'
import { organizations, reopen, status } from './status.ts'
import { tokenCreate, tokenList, tokenRevoke } from './tokens.ts'
import { upgrade } from './upgrade.ts'
import { usage, usageCallers } from './usage.ts'

/** Every command, in the order of the help and by its headings. */
export const sections: readonly (readonly [heading: string, commands: readonly OperatorCommand[]])[] = [
  ['Accounts', [setup, setupLink, resetLink, setEmail, secondFactorRemove]],
  ['Health', [status, health, doctor, supportBundle, upgrade]],
  [
    'Organizations',
    [
      organizations,
      reopen,
      usage,
      usageCallers,
      tokenCreate,
      tokenList,
      tokenRevoke,
      sessionList,
      sessionRevoke,
      exportAll,
      importAll,
    ],
  ],
  ['Audit log', [auditVerify, auditExport, auditKey, auditVerifyFile]],
  [
    'Backups',
    [
      backupNewKey,
      backupCreate,
      backupVerify,
      backupRestore,
      replicaStatus,
      replicaVerify,
      replicaRestore,
      standby,
      standbyPromote,
    ],
  ],
  ['Keys', [keyStatus, keyRotate, dataKeyRotate, signingKeysRevoke]],
  ['Billing and messages', [billingStatus, billingCustomer, billingRetry, billingSettle, outbox, outboxRetry]],
]

export const commands = sections.flatMap(([, each]) => each)

/** Groups of commands of two words, and the summary of each group. */
export const groups: Readonly<Record<string, string>> = {
  token: 'Manage service tokens for deployed applications and CI',
  'second-factor': 'Manage second factors of passwords',
  session: 'Manage the sessions of command-line clients',
  audit: 'Verify and export audit logs',
  backup: 'Back up and restore the embedded store',
  replica: 'Show, verify and restore the replica of the embedded store',
  key: 'Manage the master key',
  'data-key': 'Manage the data keys of projects',
  'signing-keys': 'Manage the keys of the embedded identity provider',
  billing: 'Manage reports to the external billing system',
}
