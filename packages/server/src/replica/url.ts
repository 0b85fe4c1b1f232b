/** The address of a replica. */
import path from 'node:path'

export interface ReplicaAddress {
  readonly folder: string
}

/** Returns what the address names, or undefined if it is not one. */
export function parseReplicaUrl(url: string): ReplicaAddress | undefined {
  if (!url.startsWith('file:')) return undefined
  const folder = url.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
  return path.isAbsolute(folder) ? { folder } : undefined
}

export function isReplicaUrl(url: string): boolean {
  return parseReplicaUrl(url) !== undefined
}
