import type { Client } from '@openfeature/server-sdk'

export type { Client, EvaluationContext, EvaluationDetails, FlagValue, JsonValue } from '@openfeature/server-sdk'
export { OpenFeature } from '@openfeature/server-sdk'

/** Returns a client of OpenFeature whose provider evaluates below a URL, with these headers. */
export function connect(baseUrl: string, headers: readonly (readonly [string, string])[]): Promise<Client>
