/**
 * Every number of the contract (docs/api.md). Sizes named `…Bytes` count UTF-8 bytes. Durations are in the unit of their
 * name.
 */

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute

/** The limits of the contract. */
export const limits = {
  accessTokenLifetimeMs: 60 * minute,
  refreshTokenLifetimeMs: 30 * day,
  /** How long after its rotation a used refresh token may return. A later return is treated as theft. */
  refreshReuseLeewayMs: minute,

  serviceTokenDays: 3_650,
  serviceTokenDaysByDefault: 365,
  tokenNameCharacters: 128,
  displayNameCharacters: 128,

  searchResults: 200,
  sinceCharacters: 8_192,
  usageMonths: 24,
  usageMonthsByDefault: 12,
  /** Maximum number of callers and stages of one answer. */
  usageCallers: 1_000,

  deviceCodeLifetimeSec: 600,
  deviceCodePollIntervalSec: 5,
  clientNameCharacters: 256,
  wrongUserCodes: 30,
  wrongUserCodesWindowMs: 10 * minute,

  /** How long a membership answer is used without asking the provider again. */
  membershipFreshMs: minute,
  /** How long the last membership answer is used while the provider cannot be reached. */
  membershipStaleMs: 15 * minute,
  providerTokenLeewaySec: 10,

  nameCharacters: 256,
  valueBytes: 65_536,
  seedBytes: 1_024,
  entries: 1_000,
  /** Maximum number of variables of a stage, unless the operator sets another. */
  stageVariables: 10_000,
  stageBytes: 16_777_216,
  revealedVariables: 100,
  historyChanges: 200,
  historyChangesByDefault: 50,
  auditEntries: 500,
  auditEntriesByDefault: 100,
  bodyBytes: 1_048_576,
  writeBodyBytes: 4_194_304,
  /** Maximum body of a few short fields: device codes, sessions, service tokens. */
  shortBodyBytes: 4_096,
  webBodyBytes: 16_384,
  /** Maximum body of the embedded identity provider's pages. */
  identityBodyBytes: 65_536,
  /** Maximum stored bytes of the values of one batch or pull. A value counts each time that it is named. */
  evaluatedBytes: 16_777_216,
  headerBytes: 16_384,

  requestIdCharacters: 128,
  requestKeyCharacters: 255,
  /** How long a request key is remembered at least. */
  requestKeyWindowMs: 10 * minute,

  corsMaxAgeSec: 86_400,
} as const
