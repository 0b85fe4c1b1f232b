/**
 * The settings of traces. They are standard variables of OpenTelemetry, so that what sets them for every program of a cluster sets them for
 * this one too. Its other variables have no effect, and without a collector none has.
 */
import { z } from 'zod'
import { isTrustworthyUrl } from '../upstream/trustworthy-url.ts'

/** Which traces are recorded. */
export interface Sampler {
  /** Whether a caller that has decided is followed. */
  readonly followsCaller: boolean
  /** Share of the other traces, 0 to 1. */
  readonly ratio: number
}

export interface TraceSettings {
  /** URL to which spans are posted. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** What is said of this service, with its name. */
  readonly resource: Readonly<Record<string, string>>
  readonly sampler: Sampler
}

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })
const protocol = z.enum(['http/json'], 'must be http/json')

/** Reads `name=value,name=value`, whose values are percent-encoded. */
const pairs = z.string().transform((text, context) => {
  const found: Record<string, string> = {}
  for (const pair of text.split(',').filter((each) => each.trim() !== '')) {
    const [, name = '', value = ''] = /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
    try {
      found[name] = decodeURIComponent(value)
      if (name !== '') continue
    } catch {
      // The value is not well encoded.
    }
    context.addIssue('must be like name=value,name=value, with values percent-encoded')
    return z.NEVER
  }
  return found
})

const headers = pairs.transform((found, context) => {
  try {
    return Object.fromEntries(new Headers(found))
  } catch {
    context.addIssue('must be headers like name=value,name=value, with values percent-encoded')
    return z.NEVER
  }
})

const schema = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe(
      'URL of a collector of OpenTelemetry that takes OTLP by HTTP, such as http://127.0.0.1:4318; `/v1/traces` is added. With headers it must be https, or http to this machine. Absent: no traces (docs/operator-guide.md).',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl
    .optional()
    .describe('URL to which traces are sent, unchanged, in place of OTEL_EXPORTER_OTLP_ENDPOINT.'),
  OTEL_EXPORTER_OTLP_HEADERS: headers
    .prefault('')
    .describe(
      'Headers of requests to the collector, such as authorization=Bearer%20token, separated by commas, with values percent-encoded.',
    ),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers.optional().describe('Headers in place of OTEL_EXPORTER_OTLP_HEADERS.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol
    .default('http/json')
    .describe('Protocol of the collector. Rollkey has only this one.'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional().describe('Protocol in place of OTEL_EXPORTER_OTLP_PROTOCOL.'),
  OTEL_SERVICE_NAME: z.string().optional().describe('Name of the service in traces. Absent: rollkey.'),
  OTEL_RESOURCE_ATTRIBUTES: pairs
    .prefault('')
    .describe('What else traces say of the service, such as deployment.environment.name=staging, separated by commas.'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, `must be one of ${samplers.join(', ')}`)
    .default('parentbased_always_on')
    .describe(
      `Which traces are recorded: ${samplers.join(', ')}. parentbased follows a caller that sends traceparent, and applies the rest to others.`,
    ),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(?:0?\.\d{1,15}|[01](?:\.0{1,15})?)$/, 'must be a number from 0 to 1')
    .prefault('1')
    .transform(Number)
    .describe('Share of the traces that traceidratio records, 0 to 1.'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp').describe('none: no traces.'),
  OTEL_SDK_DISABLED: z
    .string()
    .prefault('false')
    .transform((text) => text.toLowerCase() === 'true')
    .describe('true: no traces.'),
})

type Values = z.output<typeof schema>

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: Values): Sampler {
  const ratio = name.endsWith('always_on') ? 1 : name.endsWith('always_off') ? 0 : share
  return { followsCaller: name.startsWith('parentbased_'), ratio }
}

/** Returns the environment without empty variables, which OpenTelemetry treats as absent. */
function ownVariables(environment: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(schema.shape).map((name) => [name, environment[name] || undefined]))
}

/** Returns the settings of traces; undefined if there are none. Throws what `fail` returns for a wrong setting. */
export function traceSettings(
  environment: NodeJS.ProcessEnv,
  fail: (message: string) => Error,
): TraceSettings | undefined {
  const variables = ownVariables(environment)
  const place = variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? variables['OTEL_EXPORTER_OTLP_ENDPOINT']
  if (place === undefined) return undefined
  const parsed = schema.safeParse(variables)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw fail(`${String(issue?.path[0])} ${issue?.message ?? 'is not valid'}.`)
  }
  const values = parsed.data
  if (values.OTEL_SDK_DISABLED || values.OTEL_TRACES_EXPORTER === 'none') return undefined
  const url = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? `${place.replace(/\/+$/, '')}/v1/traces`
  const sent = values.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? values.OTEL_EXPORTER_OTLP_HEADERS
  if (Object.keys(sent).length > 0 && !isTrustworthyUrl(url))
    throw fail(
      'OTEL_EXPORTER_OTLP_HEADERS needs an https URL of the collector (http only for this machine: localhost, 127.0.0.1), because a header can be a secret: unset it, or use https.',
    )
  return {
    url,
    headers: sent,
    resource: {
      'service.name': 'rollkey',
      ...values.OTEL_RESOURCE_ATTRIBUTES,
      ...(values.OTEL_SERVICE_NAME !== undefined && { 'service.name': values.OTEL_SERVICE_NAME }),
    },
    sampler: samplerOf(values),
  }
}

/** Returns one row per setting, for the documentation. */
export function traceSettingRows(): { name: string; about: string; byDefault: string; fromFile: boolean }[] {
  return Object.entries(schema.shape).map(([name, type]) => {
    const parsed = type.safeParse(undefined)
    const byDefault = parsed.success && typeof parsed.data !== 'object' ? parsed.data : undefined
    return { name, about: type.description ?? '', byDefault: String(byDefault ?? ''), fromFile: false }
  })
}
