/** The address of a replica. */
import path from 'node:path'

export type ReplicaAddress =
  | { readonly kind: 'file'; readonly folder: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string }

const s3Pattern = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/

/** Returns what the address names, or undefined if it is not one. */
export function parseReplicaUrl(url: string): ReplicaAddress | undefined {
  if (url.startsWith('file:')) {
    const folder = url.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
    return path.isAbsolute(folder) ? { kind: 'file', folder } : undefined
  }
  const [, bucket, prefix = ''] = s3Pattern.exec(url) ?? []
  return bucket === undefined ? undefined : { kind: 's3', bucket, prefix: prefix.replace(/\/+$/, '') }
}

export function isReplicaUrl(url: string): boolean {
  return parseReplicaUrl(url) !== undefined
}
