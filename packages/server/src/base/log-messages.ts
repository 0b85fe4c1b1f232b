/**
 * The messages of the log that stay the same from version to version, with what each means. An alert, or a search in a log, can rely on
 * them. A test compares the table with the source, and docs/log.md shows it.
 */
import type { LogLevel } from './log.ts'

interface LogMessage {
  readonly level: Exclude<LogLevel, 'silent'>
  /** Fields besides level, time and msg, separated by spaces. */
  readonly fields: string
  /** What it means, for the operator. */
  readonly about: string
}

function message(level: LogMessage['level'], fields: string, about: string): LogMessage {
  return { level, fields, about }
}

export const logMessages: Readonly<Record<string, LogMessage>> = {
  // The life of the process
  'creating the database': message('info', 'steps', 'The first start creates the tables.'),
  'migrating the database': message(
    'info',
    'name step steps',
    'An upgrade changes the tables; `name` is the file of the step.',
  ),
  'copied a database before its upgrade': message('info', 'name', 'The way back of an upgrade of the embedded store.'),
  'created the first account and its organization': message('info', '', 'The settings for the first start did it.'),
  'an account exists, so the settings for the first start (ROLLKEY_SETUP_…) changed nothing': message(
    'info',
    '',
    'Remove them.',
  ),
  'wrote the one-time link of the first start, valid for one hour': message('info', 'path', 'Open it once.'),
  serving: message('info', 'url address', 'The start is over, and requests are answered.'),
  stopping: message('info', '', 'A signal arrived: started requests are finished.'),
  stopped: message('info', '', 'The store is closed.'),
  'the process stops because of an unexpected error': message(
    'error',
    'reason',
    'A fault of Rollkey: report it with the reason.',
  ),
  'a worker exited and will be restarted': message(
    'error',
    'status reason',
    'A process of ROLLKEY_WORKERS ended: look for memory.',
  ),
  'the metrics of the workers are unavailable': message('warn', 'reason', 'One collection failed.'),

  // Requests
  answered: message(
    'debug',
    'requestId traceId endpoint method status durationMs',
    'A request of the API was answered.',
  ),
  'request failed': message(
    'error',
    'requestId traceId endpoint code reason',
    'A fault of Rollkey: report it with the reason.',
  ),
  'the store is unavailable': message(
    'error',
    'requestId traceId endpoint code path reason',
    'The request was answered 503.',
  ),
  'the KMS is unavailable': message('error', 'requestId traceId endpoint code reason', 'The request was answered 503.'),
  'page request failed': message(
    'error',
    'requestId traceId reason',
    'A fault of Rollkey outside the API: report it with the reason.',
  ),
  'a request was forwarded by an address that is not in ROLLKEY_TRUSTED_PROXIES: if it is your proxy, add it, otherwise all its clients share one rate limit':
    message('warn', 'proxy', 'Once for each address.'),
  'poll for new revisions failed': message('warn', 'reason', 'Event streams wait until it succeeds.'),

  // Values and the store
  'stored value cannot be opened': message('error', 'stageId reason', 'Damage, or someone changed the store.'),
  'value of the backup cannot be opened': message(
    'error',
    'stageId reason',
    '`backup verify` or `restore` found damage.',
  ),
  'the store takes no writes': message('error', 'reason', '/readyz is 503 from here on.'),
  'the store takes writes again': message('info', '', '/readyz is 200 again.'),
  'the usage journal cannot be synced to the disk': message('error', 'reason', 'The disk is full or fails.'),
  'usage could not be written to the tables and will be retried': message(
    'warn',
    'reason',
    'The journal keeps it until then.',
  ),
  'usage was lost because lines of the journal are damaged': message(
    'warn',
    'count',
    'The disk lost or changed what was written.',
  ),
  'files of a killed backup or restore cannot be deleted': message('warn', 'reason', 'Delete them by hand.'),
  'copies of earlier upgrades cannot be deleted': message('warn', 'reason', 'Delete `*.db.schema-*` by hand.'),
  'the database cannot be reached': message('error', 'reason', 'Once, until a connection is made again.'),
  'the database accepts connections again': message('info', '', 'The database is back.'),
  'the database was started again or is another one: this node reads everything from it again': message(
    'info',
    '',
    'After a failover, a restart or a new address.',
  ),
  'the clocks of this node and of the database differ: synchronize both with NTP': message(
    'warn',
    'durationMs',
    'By how much.',
  ),

  // Work beside requests
  'housekeeping failed': message('warn', 'reason', 'What has expired was not deleted; it is tried again each minute.'),
  'recent session uses, roll counts, days of evaluations, refusals or failed sign-ins could not be stored': message(
    'warn',
    'reason',
    'They stay in memory and are tried again.',
  ),
  'the usage of this node could not be folded, which another node will do': message(
    'warn',
    'reason',
    'What it has counted waits in the database.',
  ),
  'this node counts by the plan of another node, which allows less': message(
    'warn',
    'count',
    'Nodes have different settings of `ROLLKEY_PLAN` or `ROLLKEY_FREE_EVALUATIONS`; `count` is the limit that holds.',
  ),
  'this node counts by its own plan again': message(
    'info',
    '',
    'The node with the stricter plan has stopped or is gone.',
  ),
  'the final audit log checkpoints could not be made': message('warn', 'reason', 'The next start makes them.'),
  'audit checkpoint': message(
    'info',
    'orgId checkpoint',
    'Keep it apart: it shows whether the end of the audit log was removed.',
  ),
  'new audit checkpoint': message('debug', 'orgId checkpoint', 'A checkpoint was signed.'),
  'action of a person could not be recorded in the audit log': message('error', 'name reason', '`name` is the action.'),
  'due changes could not be read': message('warn', 'reason', 'Changes at a time and ramps wait.'),
  'a due change could not be applied and will be tried again': message(
    'warn',
    'name reason',
    '`name` is the id of the change.',
  ),
  'members of a deleted organization could not be removed yet': message('warn', 'reason', 'It is tried again.'),
  'what waits to be sent could not be read': message('warn', 'reason', 'It waits in the outboxes.'),
  'a message could not be prepared and will be tried again': message(
    'warn',
    'name reason',
    '`name` is its outbox and the id there.',
  ),
  'a mail could not be written': message(
    'error',
    'name reason',
    'Its link must be passed on by hand; `name` is its kind.',
  ),
  'a mail was not accepted and will be sent again': message('warn', 'name reason', '`name` is its id.'),
  'a mail was set aside': message('error', 'name reason', 'It is not sent again; `name` is its id.'),
  'the collector did not accept traces': message(
    'warn',
    'reason',
    'Look at OTEL_EXPORTER_OTLP_ENDPOINT and the collector. It is logged once, until it accepts some again.',
  ),
  'the audit stream did not accept entries, which will be sent again': message(
    'warn',
    'orgId reason',
    'The receiver fails: nothing is lost.',
  ),
  'the replica is behind: what is written now would be lost with this machine': message(
    'error',
    'reason',
    'Mend the place of the replica.',
  ),
  'the replica has everything again': message('info', '', 'It had been behind.'),
  'the replica lost an object that it had taken: a new snapshot follows': message(
    'error',
    'name',
    'Someone or something deletes there; `name` is the object.',
  ),
  'the replica ignores conditional writes, so two services could ship to it at once': message(
    'warn',
    '',
    'Use a storage that honors `If-None-Match`.',
  ),
  'replaced the writer of the replica, which must not serve any more': message(
    'warn',
    'address name',
    'This start took over; `address` is the host of the former process.',
  ),
  'another start has replaced this process as the writer of the replica, so what is written here is not shipped: stop this process, or restart it to become the writer again':
    message(
      'error',
      'address name',
      'Two services run on one store’s replica; `address` is the host of the other one.',
    ),
  'stopped before the replica had everything; the next start ships it': message(
    'warn',
    'reason',
    'Start it again on this disk.',
  ),
  'a standby follows the replica': message('info', 'url', 'Once, at its start.'),
  'the standby has read a snapshot': message('info', 'name', 'After each start of the service, and once a day.'),
  'the standby cannot read the next object of the replica, and stays before it': message(
    'error',
    'name reason',
    '`name` is damaged or missing, or the replica does not answer; it goes on by itself after the next snapshot.',
  ),
  'the standby follows the replica again': message('info', '', 'It could not.'),
  'the standby was promoted, and the service starts': message('warn', 'name', '`name` is the moment of its state.'),
  'a webhook was switched off': message('warn', 'name orgId reason', 'It failed for three days; `name` is its id.'),
  'an operator command failed': message('error', 'reason', 'A fault of Rollkey: report it with the reason.'),

  // Billing
  'external billing begins; earlier usage is not reported': message('info', '', 'Once.'),
  'usage could not be reported and will be retried': message(
    'warn',
    'reason',
    'The store or the billing system failed.',
  ),
  'usage reports were not accepted and will be sent again': message(
    'warn',
    'count reason',
    'The billing system failed.',
  ),
  'a usage report was refused: see the command billing status': message(
    'warn',
    'name orgId reason',
    '`name` is the id of the report.',
  ),
  'the outcome of a usage report is unknown: see the command billing status': message(
    'warn',
    'name orgId',
    'Decide by hand.',
  ),

  // People
  'sign-ins were refused': message('info', 'name code count', '`name` is the method, `code` the outcome.'),
  'password hashing failed': message('error', 'reason', 'Out of memory, most likely.'),
  'identity provider reported an error': message('error', 'reason', 'The embedded provider.'),
  'identity provider request failed': message('error', 'path', 'The embedded provider.'),
  'company sign-in failed': message('warn', 'provider code', 'The provider refused, or its answer is not valid.'),
  'discovery for company sign-in failed': message('warn', 'provider reason', 'The provider cannot be reached.'),
  'the provider left out the groups of a person because they are too many': message(
    'warn',
    'provider',
    'Filter groups there.',
  ),
  'company sign-in names an organization that does not exist': message('warn', 'provider', 'Correct its setting.'),
  'membership request to the identity provider failed': message(
    'warn',
    'reason',
    'The last answer stands for a minute.',
  ),
  'fetching the keys of the identity provider failed': message('warn', 'url reason', 'Known keys stay valid.'),
  'discovery at the identity provider failed': message('warn', 'reason', 'No one can sign in.'),
  'sign-in at the identity provider failed': message('warn', 'code', 'The provider refused.'),
  'sign-in at the identity provider returned no accepted token': message(
    'warn',
    'code',
    'Audience or issuer do not fit the settings.',
  ),
  'refresh token used twice, session revoked': message(
    'warn',
    'sessionId',
    'A copy of a session, or a client that lost an answer.',
  ),

  // Gaps of the settings, at each start
  'listening beyond this machine without an https ROLLKEY_PUBLIC_URL: values and credentials cross the network unencrypted, and cookies have no Secure flag':
    message('warn', 'address', 'Put a proxy with TLS in front.'),
  'other users can access the data directory: run chmod -R go= with its path': message(
    'warn',
    'path name',
    '`name` has what they can access; a dot is the folder. `doctor` checks the same.',
  ),
  'no ROLLKEY_IDP_MEMBERSHIP_URL: members who are removed at the provider keep their sessions': message(
    'warn',
    '',
    'Set it.',
  ),
  'no ROLLKEY_IDP_CLIENT_ID: no one can sign in to the web application': message('warn', '', 'Set it.'),
  'no ROLLKEY_IDP_AUDIENCE, ROLLKEY_IDP_AUTHORIZED_PARTIES or ROLLKEY_IDP_CLIENT_ID: tokens that the identity provider issues to any other application are accepted':
    message('warn', '', 'Set one of them.'),
}
