/** The URLs that name a master key at a KMS: a scheme, a colon and the location of the key. */
import { isTrustworthyUrl } from '../../upstream/trustworthy-url.ts'
import type { Kms } from './kms.ts'

interface Scheme {
  /** The form of its URLs, for messages. */
  readonly form: string
  /** Returns whether a text is the location of a key. */
  isLocation(location: string): boolean
  /** Whether the KMS needs a token from the settings. By default, its client finds credentials by itself. */
  needsToken?(location: string): boolean
  /** Creates the client. Loads it only now, because the SDK of a cloud takes half of the start-up time. */
  open(location: string, token: string | undefined): Promise<Kms>
}

const arn = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/
const cryptoKey = /^projects\/[\w.:-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+$/
const transitKey = /^(\/[\w.-]+){2,}$/
const kubernetesRole = /^\?role=[\w-]+$/

/** Returns whether a text is the URL of a transit key at Vault, with an optional role for the Kubernetes login. */
function isTransitUrl(text: string): boolean {
  if (!isTrustworthyUrl(text)) return false
  const { pathname, search, hash, username, password } = new URL(text)
  if (`${hash}${username}${password}` !== '') return false
  return transitKey.test(pathname) && (search === '' || kubernetesRole.test(search))
}

const schemes: Readonly<Record<string, Scheme>> = {
  'aws-kms': {
    form: 'aws-kms: and the ARN of a key',
    isLocation: (location) => arn.test(location),
    open: async (location) => new (await import('./aws.ts')).AwsKms(location),
  },
  'gcp-kms': {
    form: 'gcp-kms:projects/…/cryptoKeys/…',
    isLocation: (location) => cryptoKey.test(location),
    open: async (location) => new (await import('./gcp.ts')).GcpKms({ key: location }),
  },
  vault: {
    form: 'vault: and the https URL of a transit key',
    isLocation: isTransitUrl,
    needsToken: (location) => new URL(location).search === '',
    open: async (location, token) => new (await import('./vault.ts')).VaultKms({ url: location, token }),
  },
  age: {
    form: 'age: and a file',
    isLocation: (location) => location !== '',
    open: async (location) => (await import('./age.ts')).ageKmsOfFile(location),
  },
}

/** The forms of the URLs that `isKmsUrl` accepts, for messages. */
export const kmsUrlForms: readonly string[] = Object.values(schemes).map(({ form }) => form)

function parse(url: string): { scheme: Scheme; location: string } | undefined {
  const colon = url.indexOf(':')
  const [name, location] = [url.slice(0, colon), url.slice(colon + 1)]
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined
  return scheme?.isLocation(location) ? { scheme, location } : undefined
}

export function isKmsUrl(url: string): boolean {
  return parse(url) !== undefined
}

/** Returns whether the KMS of a valid URL needs a token from the settings. */
export function needsToken(url: string): boolean {
  const { scheme, location = '' } = parse(url) ?? {}
  return scheme?.needsToken?.(location) ?? false
}

/** Creates the client of the KMS. Throws an error with a message for the operator. */
export async function kmsOfUrl(url: string, token: string | undefined): Promise<Kms> {
  const parsed = parse(url)
  if (!parsed) throw new Error(`invalid URL of a KMS (expected ${kmsUrlForms.join(', or ')})`)
  return parsed.scheme.open(parsed.location, token)
}
