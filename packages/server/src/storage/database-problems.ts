/** What errors of PostgreSQL mean for the operator. It loads no driver. */

/** SQLSTATE of a right that the role does not have any more. */
export const insufficientPrivilege = '42501'

/** The driver's message for a connection that is silent. */
export const readTimeout = 'Query read timeout'

/** What is wrong with a database, and what to do. */
export interface DatabaseProblem {
  /** Follows "The database". */
  readonly found: string
  readonly todo: string
}

const readOnly: DatabaseProblem = {
  found: 'accepts only reads',
  todo: 'reset default_transaction_read_only of the server, the database and the role',
}

const unknownAuthority: DatabaseProblem = {
  found: 'has a certificate of an authority that this machine does not know',
  todo: 'add the certificate of the authority to the address with sslrootcert=FILE',
}

/** The problems that an operator can mend, by the code of the error or, if it has none, by its message. */
const problems: Readonly<Record<string, DatabaseProblem>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  CERT_HAS_EXPIRED: { found: 'has a certificate that has expired', todo: 'renew it' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    found: 'has a certificate of another name',
    todo: 'use the name of the certificate in the address',
  },
  'The server does not support SSL connections': {
    found: 'has no TLS',
    todo: 'switch it on there, or take sslmode out of the address if the network between them is private',
  },
  '28P01': { found: 'refuses the user or the password', todo: 'correct them in the address' },
  [readTimeout]: {
    found: 'does not answer in time',
    todo: 'look for what it waits for, such as a synchronous standby that is gone, a lock or its disk',
  },
  28000: {
    found: 'refuses the user from this machine, or without TLS',
    todo: 'allow it in pg_hba.conf, or add sslmode=verify-full to the address',
  },
  '3D000': { found: 'does not exist', todo: 'create it, or correct its name in the address' },
  standby: {
    found: 'is a standby, which accepts only reads',
    todo: 'let the address lead to the primary, or promote this server',
  },
  'read-only': readOnly,
  25006: readOnly,
  [insufficientPrivilege]: {
    found: 'refuses the role of ROLLKEY_DATABASE_URL a right',
    todo: 'make the role the owner of the tables and their schemas, and grant it create on the database',
  },
  53100: { found: 'has no space left on its disk', todo: 'free some space' },
  53300: {
    found: 'refuses further connections',
    todo: 'raise max_connections, or the connection limit of the role or the database, or lower ROLLKEY_DATABASE_CONNECTIONS',
  },
}

/** Returns the problem that an error of any depth shows; undefined if it is none that is known. */
export function problemOf(error: unknown): DatabaseProblem | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return problems[typeof code === 'string' ? code : error.message] ?? problemOf(error.cause)
}

/** Returns a sentence for the operator; undefined if the problem is not known. */
export function sentenceOf(error: unknown): string | undefined {
  const problem = problemOf(error)
  return problem && `The database of ROLLKEY_DATABASE_URL ${problem.found}: ${problem.todo}.`
}
