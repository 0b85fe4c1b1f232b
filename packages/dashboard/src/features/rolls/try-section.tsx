import { Group, Text, TextInput } from '@mantine/core'
import { isRandom } from '@rollkey/contract/rules'
import { useState } from 'react'
import { Panel } from '../../ui/section.tsx'
import { choiceSentence, unitOf } from './bucket.ts'
import { chanceSentence, percentText } from './chance.ts'
import { labels } from './labels.ts'
import classes from './rolls.module.css'

const { tryOut: words } = labels

interface TrySectionProps {
  readonly name: string
  readonly chance: number
}

/** Which value a user gets. What is typed stays on the page. */
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
        <Text role="status">
          {words.random} {chanceSentence(chance, 'evaluations')}
        </Text>
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

/** Where a bucket lies between 0 and 100 %. The sentence above says the same. */
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
