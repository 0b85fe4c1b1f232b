/**
 * Every number of the contract. Source: specification, "Limits"; RULINGS, "Sizes", "Metering", "Device codes",
 * "Identity". Sizes named `…Bytes` count UTF-8 bytes, times are in the unit of their name.
 */

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute

export const limits = {
  accessTokenLifetimeMs: 60 * minute,
  refreshTokenLifetimeMs: 30 * day,
  /** A used refresh token that comes back later than this after its rotation is taken for theft. */
  refreshReuseLeewayMs: minute,

  serviceTokenDays: 3_650,
  serviceTokenDaysByDefault: 365,
  tokenNameCharacters: 128,
  displayNameCharacters: 128,

  searchResults: 200,
  sinceCharacters: 8_192,
  usageMonths: 24,
  usageMonthsByDefault: 12,
  /** Callers and stages of one answer. */
  usageCallers: 1_000,

  deviceCodeLifetimeSec: 600,
  deviceCodePollIntervalSec: 5,
  clientNameCharacters: 256,
  wrongUserCodes: 30,
  wrongUserCodesWindowMs: 10 * minute,

  /** A membership answer older than this is asked for again. */
  membershipFreshMs: minute,
  /** So long the last membership answer stands while the provider cannot be asked. */
  membershipStaleMs: 15 * minute,
  providerTokenLeewaySec: 10,

  nameCharacters: 256,
  valueBytes: 65_536,
  seedBytes: 1_024,
  entries: 1_000,
  /** Of a stage, unless the operator sets another. */
  stageVariables: 10_000,
  stageBytes: 16_777_216,
  revealedVariables: 100,
  historyChanges: 200,
  historyChangesByDefault: 50,
  auditEntries: 500,
  auditEntriesByDefault: 100,
  bodyBytes: 1_048_576,
  writeBodyBytes: 4_194_304,
  /** Bodies of a few short fields: device codes, sessions, service tokens. */
  shortBodyBytes: 4_096,
  webBodyBytes: 16_384,
  /** Bodies of the embedded identity provider's pages. */
  identityBodyBytes: 65_536,
  /** Stored bytes of the values of one batch or pull, each counted as often as it is named. */
  evaluatedBytes: 16_777_216,
  headerBytes: 16_384,

  requestIdCharacters: 128,
  requestKeyCharacters: 255,
  /** So long at least a request key is remembered. */
  requestKeyWindowMs: 10 * minute,

  corsMaxAgeSec: 86_400,
} as const
