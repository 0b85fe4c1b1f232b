import { exit, CliError, usage } from '../frame/cli-error.ts'
import { jsonCommand, refuse, type Variables } from './refuse.ts'
import { yaml } from './yaml.ts'

/** Maximum total size of the values of a Secret (`MaxSecretSize` of Kubernetes). */
const maxBytes = 1_048_576

/** The name of an object: a DNS subdomain (RFC 1123). */
const objectName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

/** Returns whether a name is valid for a key of a Secret, which is also a file name. */
export function isSecretKey(name: string): boolean {
  return /^(?!\.\.)[-._a-zA-Z0-9]{1,253}$/.test(name) && name !== '.'
}

/** Returns the name of the Secret of a stage, by default made of its slugs. Throws USAGE if Kubernetes does not accept it. */
export function secretNameOf(named: string | undefined, slugs: readonly (string | undefined)[]): string {
  const name = named ?? slugs.join('-').toLowerCase().replaceAll('_', '-')
  if (objectName.test(name)) return name
  throw usage(
    `${JSON.stringify(name)} is not a name of a Kubernetes object (expected lower-case letters, digits, - and .): pass one with --k8s-name`,
  )
}

/** Writes a manifest of a Kubernetes Secret. Values are in Base64, which holds any text. */
export function k8sSecret(variables: Variables, secretName: string): string {
  const names = Object.keys(variables)
  const refused = names.filter((name) => !isSecretKey(name))
  refuse('INVALID_NAME', refused, 'These names are not valid for keys of a Kubernetes Secret', jsonCommand)
  const bytes = names.reduce((sum, name) => sum + Buffer.byteLength(variables[name] ?? ''), 0)
  if (bytes > maxBytes) {
    const what = `The values have ${bytes} bytes (expected at most ${maxBytes}, which a Kubernetes Secret holds)`
    throw new CliError('INVALID_VALUE', what, { status: exit.invalid, command: jsonCommand })
  }
  const encoded = names.map((name) => [name, Buffer.from(variables[name] ?? '').toString('base64')])
  const data = names.length > 0 ? `data:\n${yaml(Object.fromEntries(encoded)).replaceAll(/^/gm, '  ').trimEnd()}\n` : ''
  return `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${JSON.stringify(secretName)}\ntype: Opaque\n${data}`
}
