import type { Kms } from './kms.ts'

/**
 * Returns the KMS of a setting, which is a scheme and the location of the key. Loads only the client that is used, because
 * the SDK of a cloud takes half of the start-up time. Throws an error with a message for the operator.
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
      throw new Error(`unknown KMS scheme ${scheme} (expected aws-kms, gcp-kms, vault or age)`)
  }
}
