/** The rules that server, SDK, command line and web application share: pure functions and tables without dependencies. */
export * from './access.ts'
export * from './approvers.ts'
export * from './bucket.ts'
export * from './changes.ts'
export * from './code-points.ts'
export * from './comparison.ts'
export * from './constraints.ts'
export * from './decision.ts'
export * from './declarations.ts'
export * from './common-password.ts'
export * from './declared-types.ts'
export * from './dotenv.ts'
export * from './edit-distance.ts'
export * from './fit.ts'
export * from './freeze-windows.ts'
export * from './generated-value.ts'
export * from './hidden-characters.ts'
export * from './issuers.ts'
export * from './kinds.ts'
export * from './limits.ts'
export * from './origins.ts'
export { matchesPattern, maxMatchedCharacters, maxPatternCharacters, problemOfPattern } from './pattern.ts'
export * from './protection.ts'
export * from './ramp-plan.ts'
export * from './ramp-progress.ts'
export * from './restoration.ts'
export * from './rotation.ts'
export * from './semver.ts'
export * from './stages.ts'
export * from './staleness.ts'
export * from './targeting.ts'
export * from './templates.ts'
export * from './trust-presets.ts'
export * from './utf8.ts'
export {
  dayNumberOf,
  instantOf,
  isTimeZone,
  minutesOfDay,
  msPerDay,
  msPerMinute,
  startOfDay,
  wallTimeOf,
  weekdays,
  type Weekday,
} from './time-zones.ts'
