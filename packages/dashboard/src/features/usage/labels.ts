/** Texts of the pages about usage. */
import { roughText } from '../../lib/numbers.ts'
import type { Forecast, Span } from '../../data/usage/usage.ts'
import { evaluationDefinition } from '../../data/usage/labels.ts'

/** Explains what happens when the evaluations of the plan are used up. */
function refusal(until: string): string {
  return `Evaluations and pulls are refused (USAGE_LIMIT_EXCEEDED, status 402) until ${until}, 0:00 UTC. Nothing is lost: people can look at variables and change them. The operator can raise the limit.`
}

export const labels = {
  title: 'Usage',
  lead: `${evaluationDefinition} Days and months are in UTC.`,
  spans: { 7: '7 days', 30: '30 days', 90: '90 days', 400: '400 days' } as const satisfies Record<Span, string>,
  span: 'Time',

  month: (month: string) => `Evaluations in ${month}`,
  planShare: 'Evaluations of the plan',
  forecast: ({ counted, low, high }: Forecast) => {
    const [least, most] = [roughText(low, counted), roughText(high, counted)]
    return least === most ? `About ${most} by the end of the month` : `${least} to ${most} by the end of the month`
  },
  limitReached: 'The limit is reached',
  limitReachedText: refusal,
  limitAhead: (day: string) => `At this pace, the limit is reached around ${day}`,
  limitAheadText: (until: string) => `From then on: ${refusal(until)}`,

  storage: 'Storage',
  storageShare: 'Storage of the plan',
  storageText: 'Counts current encrypted values; history is free.',
  storageReached: 'The storage of the plan is used up',
  storageReachedText:
    'Writes that would store more are refused (USAGE_LIMIT_EXCEEDED, status 402). Smaller values and deletions work. The operator can raise the limit.',

  days: 'By day',
  plot: 'Evaluations by day',
  figures: 'Show the figures',
  figuresTable: 'Evaluations by day, as figures',
  day: 'Day',
  evaluations: 'Evaluations',
  reported: 'Decided in apps',
  reportedText: 'These do not count as evaluations: apps decided them themselves, and reported them.',
  none: 'No evaluations in this time. New ones appear here within seconds.',
  allStages: 'All stages',

  stages: 'By stage',
  stagesLead: (span: string) => `Evaluations of the last ${span}, and what is stored now`,
  stage: 'Stage',
  stored: 'Stored',
  production: 'production',
  conditions: { deleted: 'deleted', archived: 'archived' },
  missingStages: 'Stages that don’t exist',
  missingStagesText:
    'Pulls of stages that don’t exist count too, and return nothing. Compare the project and stage that your apps ask for with the names here.',
  noStages: 'Each stage that is evaluated or stores something appears here.',

  months: 'By month',
  monthColumn: 'Month',

  callers: {
    title: 'Usage by credential',
    lead: `Who evaluates, and in which stage. ${evaluationDefinition}`,
    see: 'see who evaluates',
    table: 'Evaluations by credential',
    who: 'Who',
    how: 'Credential',
    share: 'Share',
    unknown: 'Unknown: counted by an older version',
    hows: { provider: 'Identity provider', session: 'CLI session', service: 'Service token' },
    /** What kind of credential of a service it is, by the start of its id. */
    services: { key_: 'Client key', tru_: 'Trust (OIDC)' } as Readonly<Record<string, string>>,
    more: 'The credentials with the fewest evaluations are not shown.',
  },
} as const
