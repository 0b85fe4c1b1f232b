import { documentOfDeclarations, type Declaration } from '@rollkey/contract/rules'

/** Numbers from 1 to 65535 as texts. */
const portPattern = '^(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])$'

/** What stands for a format that JSON Schema does not have. */
const ownFormats: Readonly<Record<string, object>> = {
  port: { pattern: portPattern },
  base64: { contentEncoding: 'base64' },
  pem: { contentMediaType: 'application/x-pem-file' },
}

/** Returns a JSON Schema with standard keywords only, for validators in any language, which turn texts into numbers and booleans first. */
export function jsonSchema(declared: readonly Declaration[]): string {
  const { properties = {}, ...document } = documentOfDeclarations(declared)
  const standard = Object.entries(properties).map(([name, property]) => [name, standardProperty(property)])
  return `${JSON.stringify({ ...document, properties: Object.fromEntries(standard) }, undefined, 2)}\n`
}

function standardProperty(property: unknown): object {
  const { 'x-rollkey': _own, format, ...standard } = property as Readonly<Record<string, unknown>>
  if (format === undefined) return standard
  return { ...(typeof format === 'string' && ownFormats[format] ? ownFormats[format] : { format }), ...standard }
}
