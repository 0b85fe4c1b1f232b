/**
 * Every number of the contract (docs/api.md). Sizes named `…Bytes` count UTF-8 bytes. Durations are in the unit of their
 * name.
 */

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute

/**
 * The limits of the contract.
 *
 * @example
 * const maxEntries = limits.entries // 1,000
 */
export const limits = {
  /** How long an access token is valid, in milliseconds: 1 hour. */
  accessTokenLifetimeMs: 60 * minute,
  /** How long a refresh token is valid, in milliseconds: 30 days. */
  refreshTokenLifetimeMs: 30 * day,
  /** How long after its rotation a used refresh token may be used again, in milliseconds. A later use is treated as theft. */
  refreshReuseLeewayMs: minute,

  /** Maximum lifetime of a service token, in days. The operator can set a shorter one. */
  serviceTokenDays: 3_650,
  /** Lifetime of a service token whose creator names none, in days. */
  serviceTokenDaysByDefault: 365,
  /** Maximum length of the name of a service token, in characters. */
  tokenNameCharacters: 128,
  /** Maximum number of client keys of an organization. */
  clientKeys: 1_000,
  /** Maximum number of origins of a client key. */
  clientKeyOrigins: 20,
  /** Maximum length of an origin, in characters. */
  originCharacters: 255,
  /** Maximum number of webhooks of an organization. */
  hooks: 100,
  /** Maximum number of types of events that a webhook names. */
  hookFilters: 50,
  /** Maximum length of the URL of a webhook, in characters. */
  hookUrlCharacters: 2_000,
  /** Number of the last messages of a webhook that are kept. */
  hookDeliveries: 100,
  /** Maximum number of trusts of an organization. */
  trusts: 1_000,
  /** Maximum number of claims that a trust requires. */
  trustClaims: 20,
  /** Maximum length of the name of a claim, in characters. */
  claimNameCharacters: 128,
  /** Maximum length of the value of a claim that a trust requires, in characters. */
  claimValueCharacters: 1_024,
  /** Maximum length of an issuer, and of an audience, in characters. */
  issuerCharacters: 512,
  /** Maximum number of keys that are pasted into a trust. */
  trustKeys: 20,
  /** Maximum length of the keys that are pasted into a trust, in characters. */
  trustKeysCharacters: 65_536,
  /** Minimum lifetime of an exchanged token, in seconds. */
  exchangedTokenMinSec: 60,
  /** Maximum lifetime of an exchanged token, in seconds. */
  exchangedTokenMaxSec: 3_600,
  /** Lifetime of an exchanged token if its trust names none, in seconds. */
  exchangedTokenSecByDefault: 900,
  /** Maximum length of a token that is exchanged, in characters. */
  outsideTokenCharacters: 32_768,
  /** Maximum age of a token that is exchanged, in seconds: 1 day. */
  outsideTokenMaxAgeSec: 86_400,
  /** Maximum size of a request that exchanges or tests a token, in bytes. */
  exchangeBodyBytes: 65_536,
  /** Maximum length of a display name, in characters. */
  displayNameCharacters: 128,

  /** Maximum number of grants of an organization. */
  grants: 10_000,
  /** Maximum number of groups of an organization. */
  groups: 1_000,
  /** Maximum number of people whom one request adds to a group, or removes from it. */
  changedMembers: 1_000,
  /** Maximum number of memberships in all groups of an organization. */
  groupMembers: 50_000,
  /** Maximum number of roles that an organization adds. */
  roles: 100,
  /** Maximum number of owners who are excepted from the sign-in at a company. */
  breakGlassOwners: 20,
  /** Maximum length of the id of a principal, in characters. */
  principalCharacters: 256,
  /** Maximum time for which the former token works after a rotation, in hours. */
  rotationOverlapHours: 168,
  /** Time for which the former token works after a rotation if the request names none, in hours. */
  rotationOverlapHoursByDefault: 24,

  /** Maximum number of stages that the creation of a project creates with it. */
  newProjectStages: 20,
  /** Maximum number of stages whose order a request sets. */
  orderedStages: 1_000,

  /** Maximum number of variables in the answer of a search. */
  searchResults: 200,
  /** Maximum number of names that the answer about what needs attention shows of each stage. */
  missingNames: 10,
  /** How long before its end a service token needs attention, in days. */
  expiringTokenDays: 14,
  /** Maximum number of rolls in one answer. */
  rolls: 1_000,
  /** Maximum length of the cursor that live events send, in characters. */
  cursorCharacters: 256,
  /** Maximum length of the cursor of a request for live events, in characters: clients may name stages themselves. */
  sinceCharacters: 8_192,
  /** Maximum number of months in the answer about usage. */
  usageMonths: 24,
  /** Maximum number of days in the answer about usage. */
  usageDays: 400,
  /** How long a variable was not evaluated until it counts as unused, in days. */
  staleDays: 30,
  /** Number of months in the answer about usage if the request names none. */
  usageMonthsByDefault: 12,
  /** Maximum number of rows in the answer about callers. A row is a caller in a stage. */
  usageCallers: 1_000,

  /** How long a device code is valid, in seconds (RFC 8628, section 3.2). */
  deviceCodeLifetimeSec: 600,
  /** Recommended interval between two polls of a login, in seconds (RFC 8628, section 3.2). */
  deviceCodePollIntervalSec: 5,
  /** Maximum length of the name of a command-line client, in characters. */
  clientNameCharacters: 256,
  /** Number of wrong user codes within `wrongUserCodesWindowMs` after which a person cannot approve a login. */
  wrongUserCodes: 30,
  /** How long a wrong user code counts, in milliseconds. */
  wrongUserCodesWindowMs: 10 * minute,

  /** How long a membership answer is used without asking the provider again, in milliseconds. */
  membershipFreshMs: minute,
  /** How long the last membership answer is used while the provider cannot be reached, in milliseconds. */
  membershipStaleMs: 15 * minute,
  /** Tolerated difference between the clocks of the service and the provider, in seconds (RFC 7519, section 4.1.4). */
  providerTokenLeewaySec: 10,

  /** Maximum length of the name of a variable, in characters. */
  nameCharacters: 256,
  /** Maximum length of a description, in characters. */
  descriptionCharacters: 1_000,
  /** Maximum size of a value, in bytes of UTF-8. */
  valueBytes: 65_536,
  /** Maximum number of templates that need each other: a template, one that it names, and so on. */
  templateDepth: 8,
  /** Maximum size of a seed, and of a key, in bytes of UTF-8. */
  seedBytes: 1_024,
  /** Maximum number of seeds that are pinned to one side of a roll. */
  pinnedSeeds: 1_000,
  /** Maximum number of targeting rules of a roll. */
  targetingRules: 100,
  /** Maximum number of steps of a ramp. */
  rampSteps: 100,
  /** Maximum number of freeze windows of a stage. */
  freezeWindows: 20,
  /** Maximum size of the targeting rules of a roll, in bytes of JSON. */
  targetingRulesBytes: 65_536,
  /** Maximum number of values that an operator of a rule compares with. */
  ruleValues: 1_000,
  /** Maximum length of the name of an attribute in a rule, in characters. */
  contextAttributeCharacters: 256,
  /** Maximum length of a range of versions in a rule, in characters. */
  versionRangeCharacters: 256,
  /** Maximum length of the label of a side of a roll, in characters. */
  labelCharacters: 64,
  /** Maximum number of entries, and of deletes, in one batch, write, copy or restore. */
  entries: 1_000,
  /** Maximum number of variables of a stage. The operator can set another. */
  stageVariables: 10_000,
  /** Maximum size of the sealed values, descriptions, labels, pins and rules of a stage, in bytes. The operator can set another. */
  stageBytes: 16_777_216,
  /** Maximum number of declarations of a project. */
  declarations: 10_000,
  /** Maximum size of the declarations of a project, in bytes of JSON: 1 MiB. */
  declarationsBytes: 1_048_576,
  /** Maximum number of values in the `enum` of a constraint. */
  enumValues: 100,
  /** Maximum length of such a value, in characters. */
  enumCharacters: 256,
  /** Maximum number of stages that a declaration names as requiring its variable. */
  requiringStages: 100,
  /** Maximum length of the owner in a declaration, in characters. */
  ownerCharacters: 256,
  /** Maximum length of the example in a declaration, in characters. */
  exampleCharacters: 1_024,
  /** Maximum time between two rotations that a declaration can ask for, in days. */
  rotationDays: 3_650,
  /** Maximum number of changes of a stage that are proposed and not settled. */
  openChanges: 1_000,
  /** Maximum number of these that one person has proposed, and that service tokens and trusts have proposed together. */
  openChangesOfOne: 50,
  /** Maximum length of the reason of a change, and of the comment of a review, in characters. */
  changeReasonCharacters: 1_000,
  /** Maximum number of changes in one answer. */
  listedChanges: 100,
  /** Maximum number of approvals that a stage can require. */
  approvals: 10,
  /** Maximum number of variables that one request reveals. */
  revealedVariables: 100,
  /** Maximum `limit` of the history. The answer includes all changes of a revision, even beyond it. */
  historyChanges: 200,
  /** The `limit` of the history if the request names none. */
  historyChangesByDefault: 50,
  /** Maximum number of revisions in the recent history of the organization. */
  recentRevisions: 50,
  /** Maximum number of changes that the recent history shows of each revision. */
  recentChanges: 5,
  /** Maximum number of entries of the audit log in one answer. */
  auditEntries: 500,
  /** Number of entries of the audit log if the request names none. */
  auditEntriesByDefault: 100,
  /** Maximum size of a body, in bytes, unless one of the next four applies. */
  bodyBytes: 1_048_576,
  /** Maximum size of the body of a write, in bytes. */
  writeBodyBytes: 4_194_304,
  /** Maximum size of a body of a few short fields, in bytes: device codes, sessions, service tokens. */
  shortBodyBytes: 4_096,
  /** Maximum size of a body of the web application's sign-in, in bytes. */
  webBodyBytes: 16_384,
  /** Maximum size of a body of the embedded identity provider's pages, in bytes. */
  identityBodyBytes: 65_536,
  /** Maximum stored bytes of the values of one batch or pull. A value counts each time that it is named. */
  evaluatedBytes: 16_777_216,
  /** Maximum size of the head of a request, in bytes. */
  headerBytes: 16_384,

  /** Maximum length of `x-request-id`, in visible ASCII characters. */
  requestIdCharacters: 128,
  /** Maximum length of `x-service-request-key`, in visible ASCII characters. */
  requestKeyCharacters: 255,
  /** Maximum number of equal decisions in a row of a report. */
  reportedCount: 1_000_000_000,
  /** How long a request key is remembered at least, in milliseconds. */
  requestKeyWindowMs: 10 * minute,
  /** How long the request key of a report is remembered at least, in milliseconds: 1 hour, so that reports outlast an outage. */
  reportKeyWindowMs: 60 * minute,

  /** How long a browser may remember the answer to a preflight request, in seconds (Fetch standard, section 3.3). */
  corsMaxAgeSec: 86_400,
} as const
