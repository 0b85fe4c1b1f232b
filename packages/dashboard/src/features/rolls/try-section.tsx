import { percentOf, percentText } from '../../lib/numbers.ts'
import { Group, Text, TextInput } from '@mantine/core'
import { bucketText, isRandom, unitOfHash } from '@rollkey/contract/rules'
import { useState } from 'react'
import { sha256 } from '@noble/hashes/sha2.js'
import { Panel } from '../../ui/page.tsx'
import { chanceSentence } from './chance.ts'
import { labels } from './labels.ts'
import classes from './rolls.module.css'

const { tryOut: words } = labels

interface TrySectionProps {
  readonly name: string
  readonly chance: number
}

/** Shows which value a user gets. The input is not sent. */
export function TrySection({ name, chance }: TrySectionProps) {
  const [seed, setSeed] = useState('')
  const [key, setKey] = useState('')
  const unit = unitOf(name, seed, key)
  const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false }
  return (
    <Panel title={words.title} lead={words.lead}>
      <Group grow preventGrowOverflow={false} align="flex-start">
        <TextInput
          {...plain}
          label={words.seed}
          description={words.seedHint}
          value={seed}
          onChange={(event) => setSeed(event.currentTarget.value)}
        />
        <TextInput
          {...plain}
          label={words.key}
          description={words.keyHint}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      </Group>
      {isRandom({ seed, key }) ? (
        <Text role="status">{words.randomResult(chanceSentence(chance, 'evaluations'))}</Text>
      ) : (
        <>
          <Text role="status" className="wrapping">
            {choiceSentence(seed === '' ? words.noSeed : seed, unit, chance)}
          </Text>
          <BucketStrip unit={unit} chance={chance} />
        </>
      )}
    </Panel>
  )
}

interface BucketStripProps {
  readonly unit: number
  readonly chance: number
}

/** Shows a bucket between 0 and 100 %. The sentence above it has the same facts. */
function BucketStrip({ unit, chance }: BucketStripProps) {
  return (
    <div aria-hidden>
      <div className={classes['strip']}>
        <div className={classes['stripA']} style={{ width: `${chance * 100}%` }} />
        <div className={classes['bucket']} style={{ insetInlineStart: `${unit * 100}%` }} />
      </div>
      <Group justify="space-between" mt={8}>
        <Text size="sm" c="dimmed">
          {chance > 0 && words.sideA(percentText(chance))}
        </Text>
        <Text size="sm" c="dimmed">
          {chance < 1 && words.sideB(percentText(chance))}
        </Text>
      </Group>
    </div>
  )
}

/**
 * Returns 0 <= u < 1, the same for the same name, seed and key everywhere (docs/api.md). It needs a library, because browsers
 * have a SHA-256 only in secure contexts, and a service in a private network may run without https.
 */
export function unitOf(name: string, seed: string, key: string): number {
  const hash = sha256(new TextEncoder().encode(bucketText(name, seed, key)))
  const view = new DataView(hash.buffer, hash.byteOffset)
  return unitOfHash(view.getUint32(0), view.getUint32(4))
}

/** Digits after the point of a percentage. */
const minDigits = 1
const maxDigits = 18

/** Returns a sentence such as "user-1 gets B (bucket 57.5 %, above 25 %)." */
export function choiceSentence(who: string, unit: number, chance: number): string {
  const bucket = `${bucketPercent(unit, chance)} %`
  if (unit < chance) return words.getsA(who, bucket, chance)
  return words.getsB(who, bucket, chance, unit > chance)
}

/** Returns a bucket in percent, cut off rather than rounded, with enough digits to be on its side of the chance. */
function bucketPercent(unit: number, chance: number): string {
  const digits = unit.toFixed(maxDigits + 2).slice(2)
  const exact = `${Number(digits.slice(0, 2))}.${digits.slice(2)}`
  const point = exact.indexOf('.')
  const isDistinct = (text: string): boolean =>
    unit < chance ? Number(text) < percentOf(chance) : unit === chance || Number(text) > percentOf(chance)
  const texts = Array.from({ length: maxDigits }, (_, more) => exact.slice(0, point + 1 + minDigits + more))
  return texts.find(isDistinct) ?? exact
}
