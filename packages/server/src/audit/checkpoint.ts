/**
 * Signed states of an audit log. They are signed with Ed25519 (RFC 8032), so that the public key alone is enough to verify
 * one. The private key is derived from a secret of the installation.
 */
import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import type { Keyring } from '../crypto/keyring.ts'

export interface Checkpoint {
  readonly orgId: string
  /** Number of the last entry that the checkpoint covers. */
  readonly seq: number
  /** Number of the last entry before the chain began. */
  readonly chainedFrom: number
  readonly atMs: number
  readonly chain: string
  /** The signature, as base64url. */
  readonly signature: string
}

type CheckpointContent = Omit<Checkpoint, 'signature'>

/** The bytes before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410, section 7). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')

function privateKeyOf(keyring: Keyring): KeyObject {
  const seed = Buffer.from(keyring.secretFor('audit checkpoints'), 'base64url')
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' })
}

export function publicKeyOf(keyring: Keyring): KeyObject {
  return createPublicKey(privateKeyOf(keyring))
}

function signedText({ orgId, seq, chainedFrom, atMs, chain }: CheckpointContent): Buffer {
  return Buffer.from(JSON.stringify(['rollkey audit checkpoint', orgId, seq, chainedFrom, atMs, chain]))
}

export function signCheckpoint(unsigned: CheckpointContent, keyring: Keyring): Checkpoint {
  const signature = sign(null, signedText(unsigned), privateKeyOf(keyring)).toString('base64url')
  return { ...unsigned, signature }
}

export function hasValidSignature(checkpoint: Checkpoint, publicKey: KeyObject): boolean {
  return verify(null, signedText(checkpoint), publicKey, Buffer.from(checkpoint.signature, 'base64url'))
}

/** A checkpoint without its organization, for the log and exports, which name the organization themselves. */
export type BareCheckpoint = Omit<Checkpoint, 'orgId'>

export function checkpointText({ seq, chainedFrom, atMs, chain, signature }: BareCheckpoint): string {
  return [seq, chainedFrom, atMs, chain, signature].join('.')
}

const pattern = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.([0-9a-f]{64})\.([\w-]{86})$/

/** Parses the text of a checkpoint. Returns undefined if it is not one. */
export function parseCheckpoint(text: string): BareCheckpoint | undefined {
  const [, seq, chainedFrom, atMs, chain, signature] = pattern.exec(text) ?? []
  if (chain === undefined || signature === undefined) return undefined
  return { seq: Number(seq), chainedFrom: Number(chainedFrom), atMs: Number(atMs), chain, signature }
}
