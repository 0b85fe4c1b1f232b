import type { Kms } from './kms.ts'

/**
 * The KMS of a setting: a scheme and what it says where the key is. Each is loaded only where it is used: the SDK of a cloud
 * takes as long as half of the start. Throws a sentence for the operator.
 */
export async function kmsOfUrl(url: string, token: string | undefined): Promise<Kms> {
  const colon = url.indexOf(':')
  const [scheme, rest] = [url.slice(0, colon), url.slice(colon + 1)]
  switch (scheme) {
    case 'aws-kms':
      return new (await import('./aws.ts')).AwsKms(rest)
    case 'gcp-kms':
      return new (await import('./gcp.ts')).GcpKms({ key: rest })
    case 'vault':
      return new (await import('./vault.ts')).VaultKms({ url: rest, token })
    case 'age':
      return (await import('./age.ts')).ageKmsOfFile(rest)
    default:
      throw new Error(`There is no KMS of the kind ${scheme}.`)
  }
}
