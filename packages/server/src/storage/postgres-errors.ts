/** What errors of PostgreSQL and of its driver mean for the statement and for the connection. */
import { DatabaseError } from 'pg'
import { StoreUnavailable } from '../base/api-error.ts'
import { insufficientPrivilege, readTimeout, sentenceOf } from './database-problems.ts'

const connectionErrors =
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** Returns whether all connections of a pool stayed in use for too long. */
export function isBusyPool(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}

/** Errors of the driver that are caused by a silent database rather than by a busy pool. */
const timeoutMessages = [readTimeout, 'Connection terminated due to connection timeout']

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && timeoutMessages.includes(error.message)
}

/** Classes of SQLSTATE that concern the statement. All others concern the database or the connection. */
const statementClasses = /^(0A|21|22|23|2F|42|P0)/

function concernsStatement({ code = '' }: DatabaseError): boolean {
  return statementClasses.test(code) && code !== insufficientPrivilege
}

/**
 * SQLSTATEs after which no connection of a pool is used again: the server accepts only reads (25006), stops or lost the connection
 * (57P, 08), or no longer has what a connection prepared (26000, 0A000). A new connection may lead to another server.
 */
const connectionEnds = /^(25006|26000|0A000|57P|08)/

/** Returns whether a connection that reported the error, and those made before, lead to a server that cannot serve any more. */
export function endsConnections({ code = '' }: { readonly code?: string | undefined }): boolean {
  return connectionEnds.test(code)
}

/** Thrown when a new connection leads to a server that accepts only reads. */
export class ReadOnlyDatabase extends Error {
  override readonly name = 'ReadOnlyDatabase'
  readonly code: 'standby' | 'read-only'

  constructor(isStandby: boolean) {
    super('The database accepts only reads.')
    this.code = isStandby ? 'standby' : 'read-only'
  }
}

/** Converts an error to StoreUnavailable, unless it concerns the statement. */
export function unavailable(error: unknown): unknown {
  if (error instanceof DatabaseError && concernsStatement(error)) return error
  return new StoreUnavailable(sentenceOf(error) ?? 'The database cannot be used at the moment.', { cause: error })
}

/** Returns whether an error of any origin means that the database is unreachable or cannot work. */
export function isDatabaseFailure(error: unknown): boolean {
  if (error instanceof StoreUnavailable || error instanceof ReadOnlyDatabase) return true
  if (error instanceof DatabaseError) return !concernsStatement(error)
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return connectionErrors.test(error.message) || (code !== undefined && /^E[A-Z]+$/.test(code))
}

/** SQLSTATEs of a lock that was not available in time, and of a deadlock. */
const lockConflicts = new Set(['55P03', '40P01'])

export function isLockConflict(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error
  return cause instanceof DatabaseError && lockConflicts.has(cause.code ?? '')
}
